"""Components shared by the methods: planes, entropy and range coders, rounding, averaging."""
