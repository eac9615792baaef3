"""The state of the session, its transitions, and the background work on it."""
