"""Formats of single images."""
