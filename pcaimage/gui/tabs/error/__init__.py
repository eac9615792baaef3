"""The tab of reconstruction errors."""
