"""The PCA lab's window: panes that show one state, and requests that lead to the next."""
