"""Claude Code and Codex, connected to a whole instance as docs/assistants.md says."""
