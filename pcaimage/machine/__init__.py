"""What the program has of the machine that it runs on: cores, memory, folders, locks and other processes."""
