"""The tab that takes one sample apart."""
