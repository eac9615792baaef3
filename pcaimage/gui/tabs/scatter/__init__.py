"""The scatter plot of a stack's scores."""
