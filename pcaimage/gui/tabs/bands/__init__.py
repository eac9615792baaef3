"""The tab of each band's quality."""
