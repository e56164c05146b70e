"""The engine for one sphere over one plane, contact by contact."""
