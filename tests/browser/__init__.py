"""The pages in Chromium, at the sizes and in the schemes that people have: `make test-browser`."""
