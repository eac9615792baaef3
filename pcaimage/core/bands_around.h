/* Contexts of a number of a plane: what surrounds it, and which experience applies to it. */
#ifndef PCAI_BANDS_AROUND_H
#define PCAI_BANDS_AROUND_H

#include "deciding.h"
#include "equations.h"

/* Contexts of the first opinion, and of the first two models; the second opinion has SIZES. */
#define FIRST_WIDTHS (32 * 32)
#define FIRST_MODELS (DENSITIES * 16)
#define SECOND_MODELS (64 * 10)

/* The known numbers of a slice, in planes with a border, the errors of their expectations in 1/16, and those
 * at a place in all planes before. */
typedef struct {
  int32_t *planes;
  int32_t *errors;
  const int32_t *activity;
  int64_t area;
  int64_t stride;
} KnownPlanes;

/* Finds how wrong expectations were around a number, and the contexts of widths and the bias; returns the
 * mean level of the widths. */
ALWAYS_INLINE int64_t look_around(const KnownPlanes *known, int64_t plane, int64_t here,
                                  const Learned *learned, Situation *at) {
  int64_t stride = known->stride;
  const int32_t *errors = known->errors + here, *up = errors - stride;
  int64_t own = 2 * (errors[-1] + up[0]) + up[-1] + up[1] + errors[-2] + up[-stride];
  const int32_t *activity = known->activity + (here - plane * known->area);
  int64_t before = 4 * activity[0] + activity[-1] + activity[1] + activity[-stride] + activity[stride];
  at->held[0] = level(own >> 2, 31) * 32 + level(before >> 5, 31);
  at->held[1] = FIRST_WIDTHS + fine((2 * own + (before >> 2)) >> 2);
  at->held[2] = FIRST_WIDTHS + SIZES + level(own >> 3, 15) * 16 + level(before >> 6, 15);
  int64_t west = known->planes[here - 1], north = known->planes[here - stride];
  at->held[3] = level(own >> 4, 23) * 9 + signs_of(west, north);
  return opinions_of(learned, at);
}

/* Finds the contexts of models and weights of a number that is expected at a center, in 1/16. */
ALWAYS_INLINE void situate(const KnownPlanes *known, int64_t plane, int64_t here, int64_t center,
                           int64_t mean, Situation *at) {
  int64_t density = least(mean / 3, DENSITIES - 1), border = (center >> FRACTION_BITS) + 1;
  const int32_t *number = known->planes + here;
  int64_t beside = pair_of(number[-1] - border, number[-known->stride] - border);
  int64_t last = plane > 0 ? known->errors[here - known->area] : 0;
  int64_t further = plane > 1 ? known->errors[here - 2 * known->area] : 0;
  int64_t below = level(last >> 2, 12) * 13 + level(further >> 2, 12);
  at->models[0] = (density * 16 + (center & 15)) * NODES;
  at->models[1] = (FIRST_MODELS + beside * 10 + density / 4) * NODES;
  at->models[2] = (FIRST_MODELS + SECOND_MODELS + below * 10 + density / 4) * NODES;
  at->weights = density * NODES;
  at->n_tilts = 0;
}

/* Lets a line's border on the left be like the beginning of the line above. */
ALWAYS_INLINE void begin_line(const KnownPlanes *known, int64_t line) {
  for (int i = 0; i < BORDER; i++) {
    known->planes[line + i] = known->planes[line - known->stride + BORDER];
    known->errors[line + i] = known->errors[line - known->stride + BORDER];
  }
}

/* Lets a line's border on the right be like its end. */
ALWAYS_INLINE void end_line(const KnownPlanes *known, int64_t line, int64_t columns) {
  for (int i = 0; i < BORDER; i++) {
    known->planes[line + columns + BORDER + i] = known->planes[line + columns + BORDER - 1];
    known->errors[line + columns + BORDER + i] = known->errors[line + columns + BORDER - 1];
  }
}

#endif
