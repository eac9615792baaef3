"""The photo method: a cascade of trained principal components, coded with mixed contexts."""
