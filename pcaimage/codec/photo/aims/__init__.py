"""The encoder's choices: estimates of rate and distortion, and steering by them."""
