"""Tools: one description of a thing that can be done, used by MCP, REST and the documents alike."""
