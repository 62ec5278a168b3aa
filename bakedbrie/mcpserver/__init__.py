"""The MCP server: speaks the protocol and forwards everything else to the REST door, with the caller's own token."""
