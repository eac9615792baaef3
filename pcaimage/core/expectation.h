/* The expectations of a component's scores from those of earlier components, for a chunk of a row's blocks.
 *
 * Each magnitude, times trained weights, adds to what is expected of later components in its own block and in
 * the eight around it. Sums are of 16 bits and wrap around, whatever their order. Sixteen blocks are looked
 * at together: eight even ones and eight odd ones, whose bytes lie in the halves of eight words.
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

/* A term of one earlier component: its plane, from the chunk's first block on, and a weight in all lanes. */
typedef struct {
  Lanes weight;
  const uint8_t *plane;
} Term;

typedef struct {
  /* Magnitudes in 1/256 steps, from all that was coded, and from the same block alone. */
  int16_t size[CHUNK];
  int16_t own[CHUNK];
  /* With their signs, from the blocks above and to the left, and maybe from those below and to the right. */
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

/* Adds a multiple of magnitudes, or of sums of four: these stay below 128, so that signs do not matter. */
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

/* Lists a component's terms in a chunk of blocks, kind by kind: `weights` has so many for each earlier
 * component of the set. Returns in `counts` how many there are. */
ALWAYS_INLINE void list_terms(const CodedScores *known, const uint64_t *predictors, const uint64_t *near,
                              const int16_t *weights, int kinds, int64_t place, Term terms[][MOST_COMPONENTS],
                              int *counts) {
  int64_t pitch = pitch_of(known);
  for (int word = 0; word < SET_WORDS; word++) {
    for (uint64_t left = predictors[word] & near[word]; left; left &= left - 1) {
      int64_t other = 64 * word + __builtin_ctzll(left);
      const uint8_t *plane = known->scores + plane_of(known, other) + place;
      /* The next chunk will ask for the row below, the others are close by already. */
      __builtin_prefetch(plane + CHUNK + pitch);
      for (int kind = 0; kind < kinds; kind++) {
        int16_t weight = weights[kinds * other + kind];
        terms[kind][counts[kind]] = (Term){all_lanes(weight), plane};
        counts[kind] += weight != 0;
      }
    }
  }
}

/* Finds what is expected of a component in a chunk of blocks, but for what its own scores tell. Where known
 * scores are in half steps, so are the sums. */
ALWAYS_INLINE void expect_chunk(const Slice *slice, int64_t index, int64_t row, int64_t chunk, int halves,
                                Expectation *result) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  const uint64_t *near = near_of(known, row, chunk);
  const int16_t *weights = plan->weights + 3 * index * plan->components;
  Term terms[4][MOST_COMPONENTS];
  int counts[3] = {0, 0, 0}, sign_counts[4] = {0, 0, 0, 0};
  /* Blocks whose signs tell: to the left and above; where scores are in half steps, also to the right and
   * below. */
  const int sign_kinds = halves ? 4 : 2;
  const int64_t beside[4] = {-1, -pitch, 1, pitch};
  list_terms(known, plan->predictors + SET_WORDS * index, near, weights, 3, place, terms, counts);
  for (int start = 0; start < CHUNK; start += 16) {
    Pair own = {{0}, {0}}, sizes = {all_lanes(plan->level[index]), all_lanes(plan->level[index])};
    for (int i = 0; i < counts[0]; i++) {
      add_sizes(&own, bytes_at(terms[0][i].plane + start), terms[0][i].weight);
    }
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
  weights = plan->sign_weights + sign_kinds * index * plan->components;
  list_terms(known, plan->sign_predictors + SET_WORDS * index, near, weights, sign_kinds, place, terms,
             sign_counts);
  for (int start = 0; start < CHUNK; start += 16) {
    Pair sums = {{0}, {0}};
    for (int kind = 0; kind < sign_kinds; kind++) {
      for (int i = 0; i < sign_counts[kind]; i++) {
        add_scores(&sums, bytes_at(terms[kind][i].plane + start + beside[kind]), terms[kind][i].weight);
      }
    }
    put_pair(&sums, result->value + start);
  }
  const uint8_t *above = known->scores + plane_of(known, index) + place - pitch;
  for (int i = 0; i < CHUNK; i++) {
    int sum =
        2 * whole_of(above[i], halves) + whole_of(above[i - 1], halves) + whole_of(above[i + 1], halves);
    result->busy[i] = (uint8_t)(sum & MAGNITUDE);
  }
}

#endif
