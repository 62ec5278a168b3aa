"""An app of the tests: tests that commit leave the database empty, quickly."""
