"""What stands below the pictures."""
