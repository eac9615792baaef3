/* The tables of decisions (format.md, section 5), made by arithmetic alone: rounded logarithms need no library. */
#ifndef PCAI_CURVES_H
#define PCAI_CURVES_H

#include "distributions.h"
#include "mixing.h"

/* Levels of widths, eight to the octave, and octaves below them. */
#define SIZES 168
#define OCTAVES 20

/* exp(1/256), its inverse, and the root of it. */
#define LOGIT_UP 1.0039138893383475
#define LOGIT_DOWN 0.9961013694701175
#define LOGIT_HALF_UP 1.0019550335910028

typedef struct {
  int32_t probabilities[2 * LOGIT_LIMIT + 1], tails[3072];
  int32_t gaps[8 * OCTAVES + SIZES], ratios[8 * OCTAVES + SIZES], inverses[SIZES], rates[256];
  int16_t logits[65536];
  uint16_t first[SIZES * SYMBOLS];
} CurveTables;

/* Exported for tests. */
API void pcai_make_curves(CurveTables *tables);

#endif
