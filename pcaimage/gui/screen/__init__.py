"""Pictures for the screen, shared by the session and the views."""
