/* Planes of whole numbers one after the other (format.md, sections 5.1 to 5.6): scores, vectors, corrections. */
#ifndef PCAI_PLANES_H
#define PCAI_PLANES_H

#include "bands.h"
#include "curves.h"
#include "file.h"
#include "room.h"

enum { WEIGHTS_OF_PLANES = 4 * (SIZES / 3), BIASES_OF_PLANES = 24 * 9 };

typedef struct {
  Layout layout;
  RangeCoder coder;
  KnownPlanes known;
  Equations fit;
  Acquired learned;
  int64_t number, slot, slots, places[16]; /* planes so far, and where the next one is kept */
  int started;
  int32_t weights[WEIGHTS_OF_PLANES], widths[4 * SIZES], biases[4 * BIASES_OF_PLANES];
  uint32_t models[MODELS_OF_PLANES];
  Chances keeps[OFTEN + 1];
  _Alignas(64) uint16_t distributions[DISTRIBUTIONS * SYMBOLS];
} Planes;

/* Whether planes are scores or corrections of bands. Each may be plain; most learn seldom. */
ALWAYS_INLINE int is_of_bands(const Layout *layout) { return layout->last > 1; }

/* Bytes that planes take while they are coded; they begin at the first line of the memory. */
int64_t planes_size(const Layout *layout);
Planes *planes_in(void *memory, const Layout *layout, const CurveTables *curves);

/* Begins to read planes; NULL if there is no memory. The stream, whose end may move until the first plane is
 * read and in between, must stay. They are given back as a whole. */
Planes *begin_planes(const pcai *file, const Layout *layout, const CurveTables *curves, Bytes stream);

/* Reads the next plane. Returns where its first number is, `known.stride` numbers before that of the next line. */
const int32_t *next_plane(Planes *planes);

/* Makes a place for the next plane; then codes it, given the numbers that are wanted, the price of a bit, whether it is
 * plain, and who chooses. */
void begin_plane(Planes *planes);
const int32_t *code_plane(Planes *planes, const double *wanted, double price, RangeCoder *coder, int is_plain,
                          Choose *choose);

#endif
