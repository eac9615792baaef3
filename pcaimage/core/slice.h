/* One slice of a photo, coded or decoded component by component: what each needs is found in the same way. */
#ifndef PCAI_SLICE_H
#define PCAI_SLICE_H

#include "plan.h"

/* What a slice learns. Arrays are those of the tables; models come from logits and counts. Of rows, the first is left
 * out. Weights that vectors hold come first, in SCORES_PLACES each though there are fewer: the others are zeros. */
typedef struct {
  int32_t scores_weights[1280 * SCORES_PLACES], scores_more[1536 * SCORES_PLACES];
  int32_t signs_weights[64 * SCORES_PLACES], signs_more[SCORES_PLACES];
  int32_t means_weights[1920 * SCORES_PLACES], means_more[96 * SCORES_PLACES];
  Rows scores_rows, means_rows;
  int32_t scores_before[SCORES_ROWS / ROWS_COUNTED + 1], means_before[MEANS_ROWS / ROWS_COUNTED + 1];
  uint16_t scores_numbers[SCORES_ROWS], means_numbers[MEANS_ROWS];
  Model signs[6928];
  uint32_t mean_signs[9720], quiet[2 * QUIET], escapes[72];
  /* The largest counts of the models of mixers. */
  int64_t limit, means_limit;
  /* Rows are whole cache lines. */
  _Alignas(64) Model scores[(SCORES_ROWS + 1) * UNARY], means[(MEANS_ROWS + 1) * MEANS_MODELS];
} Models;

/* Starts from what tables say, those of the plan's grade. */
void take_models(const PhotoPlan *plan, const Tables *tables, Models *models);

/* A slice while it is coded. `next` is the component that comes next; levels come before the first one. */
typedef struct SliceCoder {
  const PhotoPlan *plan;
  int64_t k, rows, columns, next;
  int wide, is_nested;
  uint8_t *scores;
  /* The levels of the slice's regions, and of its blocks. */
  int8_t *regional, *blocks;
  Slice slice;
  Means means;
  Settling settling;
  /* The slice of constant components that are a picture of their own, its coefficients, and the samples of all
   * channels in 1/256 steps. */
  struct SliceCoder *nested;
  int32_t *coefficients;
  double *samples;
  /* By channel: differences of means; what networks know, with a border; and what they expect, by group. */
  int32_t *around[MOST_CHANNELS];
  int16_t *known[MOST_CHANNELS], *expected[MOST_CHANNELS][NETWORK_GROUPS];
  uint8_t is_expected[MOST_CHANNELS][NETWORK_GROUPS];
  /* What is expected where nothing is, and in units of a component's own steps. */
  int16_t *silence, *scaled;
  /* Of writers: what is left to be written. */
  Search search;
  float *wanted;
  int32_t *predicted;
} SliceCoder;

/* The memory that a slice takes for so many components, beginning with the SliceCoder. */
API int64_t pcai_slice_size(const PhotoPlan *plan, int64_t k, int64_t rows, int64_t columns, int64_t writing);

/* Begins a slice in such memory. Scores are (k, rows, columns), of 32 bits if they are `wide`, else of 16;
 * levels of regions, two by two blocks, and of blocks are filled in. `bits` is the cost of a decision of each
 * probability, for writers. */
API SliceCoder *pcai_slice_begin(void *room, const PhotoPlan *plan, Models *models, int64_t k, int64_t rows,
                        int64_t columns, void *scores, int64_t wide, int8_t *regional, int8_t *blocks,
                        const float *bits, int64_t writing);

/* Decodes up to component `stop`, and the levels before the first. */
void read_slice(SliceCoder *at, RangeCoder *coder, int64_t stop);

/* Codes the levels, if steps differ by region: to be written, they are chosen as code_levels does. */
void code_slice_levels(SliceCoder *at, RangeCoder *coder, const float *wanted, const float *worth, int reading);

/* Encodes the next component, whose scores are wanted in units of the step, at a price in squared steps per
 * bit; before the first, those of the picture that constant components are, if they are one. */
API void pcai_slice_write(SliceCoder *at, RangeCoder *coder, const float *wanted, double price);

#endif
