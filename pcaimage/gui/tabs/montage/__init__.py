"""The tab of originals against reconstructions of a stack."""
