/* Data for coding the scores of a photo's slice: trained parameters, models that learn, and coded scores. */
#ifndef PCAI_PHOTO_H
#define PCAI_PHOTO_H

#include "core.h"
#include "mixing.h"

/* Magnitudes up to here are coded in unary; what is above, as an exponential Golomb number. */
#define UNARY 16

#define SCORES_INPUTS 5
#define SIGN_INPUTS 6
/* Sets of weights have so many places: vectors of them begin at whole ones. */
#define SCORES_PLACES 8
#define QUIET 4
#define ESCAPES 24
#define AROUND 8
#define GROUPS 12
#define LEVELS 8192
#define BINS 40
#define N_RELATED 6

/* The bits of a known score's magnitude; the eighth is set where it is negative. */
#define MAGNITUDE 127

/* Known scores are in half steps, and count up to here for what is expected of others: four of them fit. */
#define LOUDEST 31

/* Four channels have so many components that are not constant. */
#define MOST_COMPONENTS 252

/* No score is above it, so that 256 times a score and what is predicted stay within 32 bits. */
#define SCORES_LARGEST (1 << 22)

/* The blocks of a row that are examined together, and the zeros before each row's first and behind the last
 * row: a cache line, with which all that is examined often shall begin. */
#define CHUNK 64

/* A set of components has a bit for each, in so many words. */
#define SET_WORDS 4

typedef struct {
  const uint64_t *predictors;
  const int16_t *weights;
  const uint64_t *sign_predictors;
  const int16_t *sign_weights;
  const int16_t *own_sign;
  const int16_t *causal;
  const int16_t *level;
  const int16_t *related;
  const int16_t *channel;
  const int16_t *group;
  const int16_t *place;
  const int8_t *bins;
  int64_t components;
} Plan;

typedef struct {
  Mixer mixer;
  int32_t *by_component;
  int32_t *by_place;
  Mixer signs;
  uint32_t *quiet;
  uint32_t *escapes;
} LearnedScores;

typedef struct {
  uint8_t *scores;
  uint64_t *near;
  int64_t components;
  int64_t rows;
  int64_t columns;
} CodedScores;

typedef struct {
  Plan plan;
  CodedScores known;
  LearnedScores learned;
  Scales scales;
  const float *bits;
} Slice;

/* Scores are of 16 or of 32 bits: `wide` is a constant where these are called. */
ALWAYS_INLINE int32_t score_at(const void *scores, int wide, int64_t place) {
  return wide ? ((const int32_t *)scores)[place] : ((const int16_t *)scores)[place];
}

ALWAYS_INLINE void put_score(void *scores, int wide, int64_t place, int64_t score) {
  if (wide) {
    ((int32_t *)scores)[place] = (int32_t)score;
  } else {
    ((int16_t *)scores)[place] = (int16_t)score;
  }
}

/* The index of a known score within its quantiser. */
ALWAYS_INLINE int whole_of(uint8_t score) { return ((score & MAGNITUDE) + 1) >> 1; }

ALWAYS_INLINE int64_t largest_score(int wide) { return wide ? SCORES_LARGEST : INT16_MAX; }

ALWAYS_INLINE int64_t chunks_of(const CodedScores *known) { return (known->columns + CHUNK - 1) / CHUNK; }

/* Numbers from one row of blocks to the next in a plane of CodedScores. */
ALWAYS_INLINE int64_t pitch_of(const CodedScores *known) { return (chunks_of(known) + 1) * CHUNK; }

/* The place of a plane's first block. */
ALWAYS_INLINE int64_t plane_of(const CodedScores *known, int64_t index) {
  return (index * (known->rows + 2) + 1) * pitch_of(known) + CHUNK;
}

/* The set of the components that have scores other than zero in a chunk of blocks or next to it. */
ALWAYS_INLINE uint64_t *near_of(const CodedScores *known, int64_t row, int64_t chunk) {
  return known->near + ((row + 1) * (chunks_of(known) + 2) + chunk + 1) * SET_WORDS;
}

#endif
