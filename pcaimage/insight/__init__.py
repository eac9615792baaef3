"""Analyses of an image and its compression: curves, pictures and tables of the components.

The results are values that the window draws and programs can use. No Qt here.
"""
