/* The trained tables of photos (format.md, P2): where each array lies in the inflated files. */
#ifndef PCAI_TABLES_H
#define PCAI_TABLES_H

#include "core.h"

/* Components of a colour image that are not constant; others take the parameters of one of these. */
#define PLACES 189

/* Networks: groups of frequencies, for the first channel and for all others. */
#define NETWORK_GROUPS 6
#define NETWORK_KINDS 2

/* The grades of shrinkage, and for each strength and kind of channel, so many gains. */
#define SHRINK_GRADES 11
#define SHRINK_GAINS (9 * 16)

/* Rows of models, one for each context, of magnitudes and of constant components; and models in each of the latter. */
enum { SCORES_ROWS = 43360, MEANS_ROWS = 5847, MEANS_MODELS = 32 };

/* In the order of their names in tables.c; those from SCORES_TRAINED on are in the file of a grade. */
enum {
  TABLE_BASIS,
  TABLE_ORDER,
  TABLE_PREDICTION,
  TABLE_OWN,
  TABLE_SIDE,
  TABLE_CORNER,
  TABLE_CAUSAL,
  TABLE_LEVEL,
  TABLE_SIGN_TARGET,
  TABLE_SIGN_WEIGHT,
  TABLE_LOGITS,
  TABLE_PROBABILITIES,
  TABLE_RATES,
  TABLE_BINS,
  TABLE_SHRINK_GAINS,
  TABLE_HIDDEN,
  TABLE_THRESHOLDS = TABLE_HIDDEN + NETWORK_GROUPS,
  TABLE_OUTPUTS = TABLE_THRESHOLDS + NETWORK_GROUPS,
  TABLE_SCORES_TRAINED = TABLE_OUTPUTS + NETWORK_GROUPS,
  TABLE_SCORES_LOGITS,
  TABLE_SCORES_COUNTS,
  TABLE_SCORES_WEIGHTS,
  TABLE_SCORES_MORE,
  TABLE_SIGNS_LOGITS,
  TABLE_SIGNS_COUNTS,
  TABLE_SIGNS_WEIGHTS,
  TABLE_SIGNS_MORE,
  TABLE_MEANS_TRAINED,
  TABLE_MEANS_LOGITS,
  TABLE_MEANS_COUNTS,
  TABLE_MEANS_WEIGHTS,
  TABLE_MEANS_MORE,
  TABLE_MEAN_SIGNS_LOGITS,
  TABLE_MEAN_SIGNS_COUNTS,
  TABLE_ESCAPES_LOGITS,
  TABLE_ESCAPES_COUNTS,
  N_TABLES,
  N_SHARED_TABLES = TABLE_SCORES_TRAINED
};

/* The numbers of each array, little endian and anywhere in memory; NULL for those that were not found. */
typedef struct {
  const uint8_t *data[N_TABLES];
} Tables;

/* The layers of the network of a group: what is known, hidden units, and components. */
typedef struct {
  int64_t known, units, results;
} Layers;

ALWAYS_INLINE Layers layers_of(int group) {
  static const uint8_t KNOWN[NETWORK_GROUPS] = {8, 26, 45, 49, 54, 67};
  static const uint8_t UNITS[NETWORK_GROUPS] = {32, 64, 64, 96, 96, 96};
  static const uint8_t RESULTS[NETWORK_GROUPS] = {2, 3, 4, 5, 13, 36};
  return (Layers){KNOWN[group], UNITS[group], RESULTS[group]};
}

ALWAYS_INLINE int32_t i16_at(const uint8_t *data, int64_t place) {
  return (int16_t)(uint16_t)(data[2 * place] | data[2 * place + 1] << 8);
}

ALWAYS_INLINE int32_t u16_at(const uint8_t *data, int64_t place) {
  return data[2 * place] | data[2 * place + 1] << 8;
}

ALWAYS_INLINE int32_t i32_at(const uint8_t *data, int64_t place) {
  return (int32_t)((uint32_t)u16_at(data, 2 * place) | (uint32_t)u16_at(data, 2 * place + 1) << 16);
}

/* Finds the arrays of an inflated file: from `first` to `last` of the list. Returns whether all are there, of
 * the types and sizes that the format says. */
int find_tables(Tables *tables, int first, int last, const uint8_t *data, int64_t size);

#endif
