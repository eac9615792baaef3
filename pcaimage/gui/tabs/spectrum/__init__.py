"""The tab of the eigenvalue spectrum."""
