/* What reading a container knows of headers. */
#ifndef PCAI_CONTAINER_H
#define PCAI_CONTAINER_H

#include "file.h"

enum { MOST_PHOTO_COMPONENTS = 256 };

/* Reads the payload of a header; returns a fault and its reason. */
int read_header(Bytes payload, Header *header, const char **reason);

/* The largest number of components that an image of its own basis can have. */
int64_t most_components_of(const Header *header);

/* What is plausible (docs/reliability.md): bytes of pixels, and of blocks' padding, for each byte of a file. */
enum { PIXELS_PER_BYTE = 256, PADDING_PER_BYTE = 64 };

/* Checks whether what a header claims is plausible, given its file's length; returns a fault. */
int check_claims(const pcai *file);

#endif
