"""What is open and chosen, and the work on it."""
