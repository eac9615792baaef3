"""The tab of file size against quality."""
