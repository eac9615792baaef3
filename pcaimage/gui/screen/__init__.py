"""Geometry and pictures on the screen, shared by the session and the views."""
