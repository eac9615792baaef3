/* From coefficients to averages of pixels. */
#ifndef PCAI_PAINTING_H
#define PCAI_PAINTING_H

#include "core.h"

#define MOST_CHANNELS 4

typedef struct {
  /* Shapes (4, cells, 24) each, (4, shown) and (shown,): maps for blocks that are neither first nor last,
   * first, last, and both, from the components of three blocks to averages in the one in the middle. */
  const float *vertical;
  const float *horizontal;
  const float *rotation;
  const float *offset;
  /* Shape (components, height, width), with halos of so many blocks. */
  const float *values;
  /* Shape (components, 2): 8 p + v, from 0 to 31 and ascending, and u, from 0 to 7 and ascending. */
  const int64_t *lines;
  /* A bit for each of the 8 p + v. */
  int64_t present;
  int64_t cells;
  int64_t shown;
  int64_t components;
  int64_t height;
  int64_t width;
  int64_t top;
  int64_t bottom;
  int64_t left;
  int64_t right;
  /* The largest value of a pixel, and whether it has 16 bits. */
  int64_t limit;
  int64_t wide;
} Painting;

/* Pixels of shape (h cells, w cells, shown) of the h x w blocks without their halo. */
API void pcai_paint(const Painting *p, void *picture);

#endif
