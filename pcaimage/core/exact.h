/* What a photo holds beside its components, pixel by pixel: tiles (format.md, P15) and corrections (P16). */
#ifndef PCAI_EXACT_H
#define PCAI_EXACT_H

#include "curves.h"
#include "file.h"

/* The memory that coding the tiles of some lines takes. */
API int64_t pcai_tiles_size(int64_t lines, int64_t width);

/* Decodes the tiles of some lines, of images of a height: which of them are coded, and the pixels of the lines, all
 * channels beside each other; those outside of coded tiles have no meaning in a photo. */
int decode_tiles(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, int64_t height,
                 int64_t channels, uint8_t *coded, uint8_t *pixels);

/* The slices that whole images are divided into, and one of them: its first line, and that behind its last. */
int64_t frame_slices(const Header *header);
void frame_lines(const Header *header, int64_t number, int64_t *start, int64_t *stop);

/* Decodes a slice of whole images, of so many channels. */
int decode_frames(const pcai *file, const CurveTables *curves, Bytes chunk, int64_t number, int64_t channels,
                  uint8_t *pixels);

/* Paints part of a line of an image: `count` means of squares, as far as these are in it. */
void paint_line(const Header *header, const uint8_t *image, int64_t y, int64_t x, int64_t count, int64_t reduction,
                uint8_t *to);

/* The memory that correcting some lines takes. */
API int64_t pcai_corrections_size(int64_t lines, int64_t width, int64_t channels);

/* Replaces the lines of a slice of corrections, `apart` bytes from each other, by the corrected ones. */
int correct_slice(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, uint8_t *pixels,
                  int64_t apart);

#endif
