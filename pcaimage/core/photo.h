/* Data for coding the scores of a photo's slice: trained parameters, models that learn, and coded scores; and what
 * the files that take part offer each other. */
#ifndef PCAI_PHOTO_H
#define PCAI_PHOTO_H

#include "core.h"
#include "mixing.h"
#include "rangecoder.h"

/* Magnitudes up to here are coded in unary; what is above, as an exponential Golomb number. */
#define UNARY 16

#define SCORES_INPUTS 5
#define SIGN_INPUTS 6
#define MEANS_INPUTS 6
/* Sets of weights have so many places: vectors of them begin at whole ones. */
#define SCORES_PLACES 8
#define QUIET 8
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

/* Channels, and components of so many that are not constant. */
#define MOST_CHANNELS 4
#define MOST_COMPONENTS 252

/* Levels of steps are below it; those that an image does not have are in tables, too. */
#define MOST_LEVELS 16

/* Coefficients are in units of 2^-8 steps. */
#define COEFFICIENT_BITS 8

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
  Rows *models;
  Mixer signs;
  Model *sign_models;
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

/* The constant components while they are coded: models of magnitudes and of signs; how wrong each rule was in the
 * present plane, (rows + 1, columns + 2, 6); what was left over, (C, rows, columns); and sums and counts of that. */
typedef struct {
  Mixer mixer;
  Rows *models;
  uint32_t *signs;
  int32_t *errors;
  int32_t *left;
  int32_t *bias;
  int64_t rows;
  int64_t columns;
} Means;

#define MEANS_RULES 6
/* Contexts of what is known to be left over. */
#define MEANS_BIASES (3 * 9 * 45)

/* A network: `known` numbers are known of each block. `inputs` is that number made even; there are as many hidden
 * units and results, in fours. Weights are (units, inputs), and outputs (results, units). */
typedef struct {
  const int16_t *hidden;
  const int16_t *thresholds;
  const int16_t *outputs;
  int64_t known;
  int64_t inputs;
  int64_t units;
  int64_t results;
} Network;

/* From the scores of a slice to its coefficients. */
typedef struct {
  /* The plane of each component, those of constant ones first: (64 C,). */
  const int64_t *planes;
  /* (63 C, 8), at most 1 each, in 2^-11. */
  const int32_t *weights;
  /* Of the step, in 2^-20, (64 C, 16) by plane and level, and the level of each block. */
  const int32_t *factors;
  const int8_t *levels;
  int64_t by_level;
  /* The bits of the fractions of constant components. */
  int64_t fraction;
  int64_t channels;
  int64_t rows;
  int64_t columns;
  /* 1 for each plane that is not asked for; NULL if all are. */
  const uint8_t *skipped;
} Settling;

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
ALWAYS_INLINE int64_t place_of_plane(const CodedScores *known, int64_t index) {
  return (index * (known->rows + 2) + 1) * pitch_of(known) + CHUNK;
}

/* The set of the components that have scores other than zero in a chunk of blocks or next to it. */
ALWAYS_INLINE uint64_t *near_of(const CodedScores *known, int64_t row, int64_t chunk) {
  return known->near + ((row + 1) * (chunks_of(known) + 2) + chunk + 1) * SET_WORDS;
}

/* States of dependent quantisation, by each of which the next number has a quantiser: the state's lowest bit. */
#define STATES 8

/* The next state by the parity of the number; without dependence the first quantiser is the only one. */
static const uint8_t NEXT[2][STATES][2] = {
    {{0, 0}}, {{0, 1}, {3, 2}, {5, 4}, {6, 7}, {1, 0}, {2, 3}, {4, 5}, {7, 6}}};

/* Where ways are searched for, those are given up that are worse than the best by so many squared steps: hardly any of
 * them would win. */
#define GIVEN_UP 1.0F
#define IMPOSSIBLE 1e30F

/* Room for the search among quantisers, which only a writer needs: for the expectations of a row of blocks, and for
 * the best path to each of eight states, of each column. */
typedef struct {
  uint8_t *expected;
  int32_t *paths;
} Search;

/* The models of a constant component's magnitude, and the weights of its first bit. */
typedef struct {
  Model *contexts[MEANS_INPUTS];
  int32_t *weights, *more;
} Mixed;

/* Codes a bit of such a magnitude. */
int code_mixed(RangeCoder *coder, const Mixer *mixer, const Scales *scales, const Mixed *mixed, int number, int bit,
               int reading);

/* Codes one constant component of a slice, or decodes it; the plane receives half steps. What is wanted, the price and
 * `dependent` are as for code_scores. */
void code_means(const Means *means, const Scales *scales, RangeCoder *state, int64_t index, const float *wanted,
                void *plane, int wide, const Search *search, const float *bits, int dependent, double price,
                int reading);

/* Bytes of a chunk's expectations. */
#define EXPECTATION_BYTES 320

/* Codes one of the other components, or decodes it: counted without the constant ones, into a plane of zeros. What is
 * wanted, less what is predicted in 1/256, is in units of the step; the plane takes half steps. The price is the squared
 * error, in squared steps, that a bit is worth. Where scores are not dependent, all have the first quantiser, and each is
 * chosen by itself. `by_network` is what a network expects of each score, in 1/256. */
void code_scores(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                 const int32_t *predicted, void *plane, int wide, const Search *search, const int16_t *by_network,
                 int dependent, double price, int reading);

/* Codes the levels of a slice's regions, from 0 to `count` - 1. For writing, each region has its wanted level
 * and the bits that a squared level off it is worth. */
void code_levels(RangeCoder *coder, const int32_t *rates, const float *wanted, const float *worth,
                 const float *bits, int64_t rows, int64_t columns, int64_t count, int64_t first, int8_t *levels,
                 int reading);

/* Finds what is expected of a slice's components, in 1/256 of the step: (results, rows, columns), zeros on entry.
 * Inputs are at `offsets` from each block's place in planes whose rows are `pitch` apart. */
void expect_by_network(const Network *network, const int16_t *values, const int64_t *offsets, int64_t rows,
                       int64_t columns, int64_t pitch, int16_t *found);

/* Finds the differences of the neighbours' means to each block's own: (8, rows, columns). */
void find_differences(const void *means, int wide, int64_t rows, int64_t columns, int32_t *result);

/* Predicts one component from the means around each block: `around` is (8, count). */
void predict(const int32_t *around, const int32_t *weights, int64_t fraction, int64_t count, int32_t *result);

/* Turns what is expected of scores into units of their own steps: `inverses` are those of the factor of each of 16
 * levels, in 2^-12. */
void scale_expected(const int16_t *expected, const int8_t *levels, const int32_t *inverses, int64_t count,
                    int16_t *result);

/* Keeps numbers of a slice's blocks as networks take them, divided by 2^shift, with a border: the result has the
 * columns of the slice and two more. */
void keep_known(const int32_t *numbers, int64_t rows, int64_t columns, int64_t shift, int16_t *result);

/* The same of a component's coefficients, from its scores and the differences of the means around. */
void learn_component(const Settling *s, const void *scores, int wide, const int32_t *around, int64_t index,
                     int64_t shift, int16_t *result);

/* Finds the coefficients of some blocks of a slice's row, of which the scores of the first `known` components are
 * there: of 64 C planes, whose numbers are `area` apart. */
void fill_coefficients(const Settling *s, const void *scores, int wide, int64_t known, int64_t row, int64_t start,
                       int64_t count, int64_t area, int32_t *result);

#endif
