"""The program in a user's desktop, one module for each family of systems."""

NAME = "org.pcaimage.PcaImage"  # among all programs
MIME = "image/x-pcaimage"
KINDS = {
    "pcai": ("Image", "pcaimage compressed image", MIME),
    "pcalab": ("Exercise", "PCA lab exercise", "application/x-pcalab+json"),
}
"""Files that the program opens by their names' endings: a word, a description, and the MIME type."""
