"""The demo: one card, from the public API to an agent's finished work, on a board anybody can look at afterwards."""
