"""The protocol's own scenarios and the Inspector, against a whole instance."""
