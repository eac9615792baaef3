"""What every component buys: curves, pictures and tables to judge a compression by.

Analyses of an image and its compression, as values that the window draws and a program can use. No Qt here.
"""
