"""The tab that shows the components as pictures."""
