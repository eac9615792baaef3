/* What a photo holds beside its components, pixel by pixel: tiles (format.md, P15) and corrections (P16). */
#ifndef PCAI_EXACT_H
#define PCAI_EXACT_H

#include "curves.h"
#include "file.h"

/* The memory that coding the tiles of some lines takes. */
API int64_t pcai_tiles_size(int64_t lines, int64_t width);

/* Decodes the tiles of some lines: which of them are coded, and the pixels of the lines, all channels beside
 * each other; those outside of coded tiles have no meaning. */
int decode_tiles(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, uint8_t *coded,
                 uint8_t *pixels);

/* The memory that correcting some lines takes. */
API int64_t pcai_corrections_size(int64_t lines, int64_t width, int64_t channels);

/* Replaces the lines of a slice of corrections, `apart` bytes from each other, by the corrected ones. */
int correct_slice(const pcai *file, const CurveTables *curves, Bytes stream, int64_t lines, uint8_t *pixels,
                  int64_t apart);

#endif
