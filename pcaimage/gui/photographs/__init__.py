"""Many photographs: the strip of those that are open, and the queue that compresses or exports them all."""
