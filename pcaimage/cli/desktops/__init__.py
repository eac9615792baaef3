"""The program in a user's desktop, one module for each family of systems."""
