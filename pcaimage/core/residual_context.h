/* The known numbers around a pixel, and the experience that applies to it. */
#ifndef PCAI_RESIDUAL_CONTEXT_H
#define PCAI_RESIDUAL_CONTEXT_H

#include "deciding.h"
#include "equations.h"

/* The most channels there are; contexts of each opinion, of each bias and of each model in one of them. */
#define CHANNELS 4
#define RESIDUAL_FIRST_WIDTHS (32 * 24)
#define SECOND_WIDTHS (24 * 32)
#define FIRST_BIASES (24 * 9)
#define SECOND_BIASES 41
#define FIRST_MODELS (DENSITIES * 16)
#define RESIDUAL_SECOND_MODELS 2560
#define THIRD_MODELS 640
#define FOURTH_MODELS (625 * 10)

/* Values of a context of two numbers. */
#define PAIRS 64

/* The known numbers of a slice, in planes with a border, in the order of coding: what each channel lacks, as
 * far as it is known, and then their reconstructions; and how wrong the expectations were, in 1/16. */
typedef struct {
  int32_t *planes;
  int32_t *errors;
  int64_t area;
  int64_t stride;
  int64_t channels;
  int64_t peak;
} KnownPixels;

/* The width of strips. */
#define NARROW 16

/* Codes one channel of some strips, or reads it: channels are counted in the order of coding, strips in reading
 * order. */
void code_residual(int64_t channel, int64_t start, int64_t stop, int32_t *values, int64_t columns,
                   const KnownPixels *known, const Equations *fit, const Learned *learned, RangeCoder *coder,
                   int reading);

/* Errors of expectations around a pixel in its channel and the two before, and the slope of the image. */
typedef struct {
  int64_t own, before, further, slope;
} PixelsAround;

/* A pixel that is known. */
ALWAYS_INLINE int64_t pixel_at(const KnownPixels *known, int64_t here) {
  return known->planes[here] + known->planes[here + known->channels * known->area];
}

ALWAYS_INLINE int64_t errors_before(const KnownPixels *known, int64_t there) {
  const int32_t *errors = known->errors + there;
  return 4 * errors[0] + errors[-1] + errors[1] + errors[-known->stride] + errors[known->stride];
}

/* Finds what is around a pixel of a channel. */
ALWAYS_INLINE PixelsAround look_around(const KnownPixels *known, int64_t channel, int64_t here) {
  int64_t stride = known->stride;
  const int32_t *errors = known->errors + here, *up = errors - stride;
  PixelsAround around = {.own = 2 * (errors[-1] + up[0]) + up[-1] + up[1] + errors[-2] + up[-stride]};
  if (channel > 0) around.before = errors_before(known, here - known->area);
  if (channel > 1) around.further = errors_before(known, here - 2 * known->area);
  const int32_t *base = known->planes + here + known->channels * known->area;
  int64_t west = base[-1], east = base[1], north = base[-stride], south = base[stride], middle = 2 * base[0];
  around.slope = magnitude_of(east - west) + magnitude_of(south - north) + magnitude_of(east + west - middle) +
               magnitude_of(south + north - middle);
  const int32_t *lacks = known->planes + here, *above = lacks - stride;
  west = lacks[-1], north = above[0];
  around.slope += magnitude_of(west - north) + magnitude_of(west - above[-1]) + magnitude_of(north - above[1]);
  return around;
}

/* Finds the contexts of widths and of biases. */
ALWAYS_INLINE void hold(const KnownPixels *known, int64_t channel, int64_t here, const PixelsAround *around,
                        Situation *at) {
  int64_t first = around->own, second = around->before, third = around->further;
  int64_t whole = channel == 0 ? first : (2 * first + 3 * second + 2 * third) / (channel == 1 ? 5 : 7);
  at->held[0] = channel * RESIDUAL_FIRST_WIDTHS + level(first >> 2, 31) * 24 + level(second >> 2, 23);
  at->held[1] = CHANNELS * RESIDUAL_FIRST_WIDTHS + channel * SECOND_WIDTHS;
  at->held[1] += level(around->slope, 23) * 32 + level((first + second + third) >> 2, 31);
  at->held[2] = CHANNELS * (RESIDUAL_FIRST_WIDTHS + SECOND_WIDTHS) + channel * SIZES + fine(whole);
  int64_t west = known->planes[here - 1], north = known->planes[here - known->stride];
  at->held[3] = channel * FIRST_BIASES + level(first >> 3, 23) * 9 + signs_of(west, north);
  at->held[4] = CHANNELS * FIRST_BIASES + channel * SECOND_BIASES;
  at->held[4] += channel > 0 ? within(known->planes[here - known->area], -20, 20) + 20 : level(around->slope, 40);
}

/* Which of five classes a pixel around is in, by how many widths it lies from what is expected of another. */
ALWAYS_INLINE int64_t class_of(const KnownPixels *known, int64_t there, int64_t center, int64_t inverse) {
  int64_t apart = ((pixel_at(known, there) * (1 << FRACTION_BITS) - center) * inverse) >> 18;
  int64_t size = magnitude_of(apart), found = (size >= 200) + (size >= 900);
  return apart < 0 ? 2 - found : 2 + found;
}

/* Finds the contexts of models, weights and tilts.
 *
 * The border is the first value above what is expected, which lies a fraction from 0 to 15 sixteenths above
 * the value before. */
ALWAYS_INLINE void situate(const KnownPixels *known, int64_t channel, int64_t here, int64_t density,
                           int64_t center, int64_t inverse, int64_t border, int shade, Situation *at) {
  int64_t area = known->area, up = known->stride, alike, beyond, same = 0;
  int64_t west = pixel_at(known, here - 1) - border, north = pixel_at(known, here - up) - border;
  int64_t fraction = least(center - ((border - 1) << FRACTION_BITS), 15), classes[6];
  const int64_t around[6] = {here - 1, here - up, here - up + 1, here - up - 1, here - 2, here - 2 * up};
  for (int i = 0; i < 6; i++) classes[i] = class_of(known, around[i], center, inverse);
  /* Values of a pixel that differs from its neighbours as it does in the channel before, and in that before;
   * or else the values of its neighbours. */
  if (channel > 0) {
    int64_t there = here - area, value = pixel_at(known, there);
    int64_t across = value - pixel_at(known, there - 1), down = value - pixel_at(known, there - up);
    same = (across == 0) + 2 * (down == 0);
    alike = pair_of(west + across, north + down);
    if (channel > 1) {
      there -= area;
      value = pixel_at(known, there);
      west += value - pixel_at(known, there - 1);
      north += value - pixel_at(known, there - up);
    }
    beyond = pair_of(west, north);
  } else {
    alike = pair_of(west, north);
    beyond = pair_of(pixel_at(known, here - up - 1) - border, pixel_at(known, here - up + 1) - border);
  }
  at->models[0] = (channel * FIRST_MODELS + density * 16 + fraction) * NODES;
  int64_t base = CHANNELS * FIRST_MODELS + channel * RESIDUAL_SECOND_MODELS;
  at->models[1] = (base + (4 * alike + same) * 10 + density / 4) * NODES;
  base = CHANNELS * (FIRST_MODELS + RESIDUAL_SECOND_MODELS) + channel * THIRD_MODELS;
  at->models[2] = (base + beyond * 10 + density / 4) * NODES;
  base = CHANNELS * (FIRST_MODELS + RESIDUAL_SECOND_MODELS + THIRD_MODELS) + 2 * channel * FOURTH_MODELS;
  for (int i = 0; i < 2; i++, base += FOURTH_MODELS) {
    int64_t place = 125 * classes[0] + 25 * classes[1] + 5 * classes[2 * i + 2] + classes[2 * i + 3];
    at->models[3 + i] = (base + 10 * place + density / 4) * NODES;
  }
  at->weights = (channel * DENSITIES + density) * NODES;
  at->more = (CHANNELS * DENSITIES + channel * PAIRS + beyond) * NODES;
  at->n_tilts = (int)least(channel, TILTS - 1) + 1;
  for (int i = 0; i < at->n_tilts; i++) {
    at->tilts[i] = (i * CHANNELS + channel) * KINDS * VALUES;
    if (i > 0) at->tilts[i] += VALUES / 2 - (pixel_at(known, here - i * area) >> shade);
  }
}

#endif
