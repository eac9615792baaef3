/* What the scores of earlier components let one expect of a component's, for a chunk of a row's blocks.
 *
 * Each magnitude, times trained weights, adds to what is expected of later components in its own block and in
 * the eight around it. Sums are of 16 bits and wrap around, whatever their order. Sixteen blocks are looked at
 * together: eight even ones and eight odd ones, whose bytes lie in the halves of eight words.
 */
#ifndef PCAI_EXPECTATION_H
#define PCAI_EXPECTATION_H

#include "photo.h"

typedef uint16_t Lanes __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));

typedef struct {
  Lanes even;
  Lanes odd;
} Pair;

/* What one earlier component tells: its plane, from the chunk's first block on, and a weight in all lanes. */
typedef struct {
  Lanes weight;
  const uint8_t *plane;
} Term;

typedef struct {
  /* Magnitudes in 1/256 steps, from all that was coded, and from the same block alone. */
  int16_t size[CHUNK];
  int16_t own[CHUNK];
  /* With their signs, from the block above and the block to the left. */
  int16_t value[CHUNK];
  /* Twice the magnitude above, plus those beside that. */
  uint8_t busy[CHUNK];
} Expectation;

ALWAYS_INLINE Bytes bytes_at(const uint8_t *place) {
  Bytes found;
  memcpy(&found, place, sizeof found);
  return found;
}

ALWAYS_INLINE Lanes all_lanes(int16_t number) { return (Lanes){0} + (uint16_t)number; }

/* Adds a multiple of magnitudes, or of sums of four: these stay below 128, so that signs do not reach them. */
ALWAYS_INLINE void add_sizes(Pair *sums, Bytes sizes, Lanes weight) {
  Lanes words = (Lanes)sizes;
  sums->even += (words & MAGNITUDE) * weight;
  sums->odd += ((words >> 8) & MAGNITUDE) * weight;
}

/* Adds a multiple of scores. */
ALWAYS_INLINE void add_scores(Pair *sums, Bytes scores, Lanes weight) {
  Lanes words = (Lanes)scores, even = words & MAGNITUDE, odd = (words >> 8) & MAGNITUDE;
  Lanes even_sign = -((words >> 7) & 1), odd_sign = -(words >> 15);
  sums->even += ((even ^ even_sign) - even_sign) * weight;
  sums->odd += ((odd ^ odd_sign) - odd_sign) * weight;
}

ALWAYS_INLINE void put_pair(const Pair *pair, int16_t *target) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  Lanes first = pair->even, second = pair->odd;
#else
  Lanes first = pair->odd, second = pair->even;
#endif
  for (int i = 0; i < 8; i++) {
    target[2 * i] = (int16_t)first[i];
    target[2 * i + 1] = (int16_t)second[i];
  }
}

/* Lists a component's terms in a chunk of blocks, of the same block, of those beside it and at its corners. */
ALWAYS_INLINE void list_terms(const Slice *slice, int64_t index, const uint8_t *near, int64_t place,
                              Term terms[3][MOST_COMPONENTS], int counts[3]) {
  const Plan *plan = &slice->plan;
  for (int64_t i = plan->first[index]; i < plan->first[index + 1]; i++) {
    int64_t other = plan->other[i];
    if (!near[other]) continue;
    const uint8_t *plane = slice->known.scores + plane_of(&slice->known, other) + place;
    for (int kind = 0; kind < 3; kind++) {
      int16_t weight = plan->weights[3 * i + kind];
      terms[kind][counts[kind]] = (Term){all_lanes(weight), plane};
      counts[kind] += weight != 0;
    }
  }
}

/* Finds what is expected of a component in a chunk of blocks, but for what its own scores tell. */
static inline void expect_chunk(const Slice *slice, int64_t index, int64_t row, int64_t chunk, Expectation *result) {
  const Plan *plan = &slice->plan;
  const Known *known = &slice->known;
  int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  const uint8_t *near = near_of(known, row, chunk), *planes = known->scores;
  Term terms[3][MOST_COMPONENTS];
  int counts[3] = {0, 0, 0};
  list_terms(slice, index, near, place, terms, counts);
  for (int start = 0; start < CHUNK; start += 16) {
    Pair own = {{0}, {0}}, sizes = {all_lanes(plan->level[index]), all_lanes(plan->level[index])};
    for (int i = 0; i < counts[0]; i++) add_sizes(&own, bytes_at(terms[0][i].plane + start), terms[0][i].weight);
    for (int i = 0; i < counts[1]; i++) {
      const uint8_t *here = terms[1][i].plane + start;
      Bytes sum = bytes_at(here - 1) + bytes_at(here + 1) + bytes_at(here - pitch) + bytes_at(here + pitch);
      add_sizes(&sizes, sum, terms[1][i].weight);
    }
    for (int i = 0; i < counts[2]; i++) {
      const uint8_t *above = terms[2][i].plane + start - pitch, *below = terms[2][i].plane + start + pitch;
      Bytes sum = bytes_at(above - 1) + bytes_at(above + 1) + bytes_at(below - 1) + bytes_at(below + 1);
      add_sizes(&sizes, sum, terms[2][i].weight);
    }
    sizes.even += own.even;
    sizes.odd += own.odd;
    put_pair(&own, result->own + start);
    put_pair(&sizes, result->size + start);
  }
  int count = 0;
  for (int64_t i = plan->sign_first[index]; i < plan->sign_first[index + 1]; i++) {
    int64_t other = plan->sign_other[i];
    if (!near[other]) continue;
    const uint8_t *plane = planes + plane_of(known, other) + place;
    terms[0][count] = (Term){all_lanes(plan->sign_weights[2 * i]), plane - 1};
    terms[1][count++] = (Term){all_lanes(plan->sign_weights[2 * i + 1]), plane - pitch};
  }
  for (int start = 0; start < CHUNK; start += 16) {
    Pair sums = {{0}, {0}};
    for (int i = 0; i < count; i++) {
      add_scores(&sums, bytes_at(terms[0][i].plane + start), terms[0][i].weight);
      add_scores(&sums, bytes_at(terms[1][i].plane + start), terms[1][i].weight);
    }
    put_pair(&sums, result->value + start);
  }
  const uint8_t *above = planes + plane_of(known, index) + place - pitch;
  for (int i = 0; i < CHUNK; i++) result->busy[i] = (2 * above[i] + above[i - 1] + above[i + 1]) & MAGNITUDE;
}

#endif
