/* What is known around a score: the contexts in which its magnitude and its sign are coded. */
#ifndef PCAI_CONTEXTS_H
#define PCAI_CONTEXTS_H

#include "expectation.h"

/* Where each input's contexts begin. */
enum { AT_1 = 480, AT_2 = AT_1 + 3780, AT_3 = AT_2 + 1500, AT_4 = AT_3 + 1600, AT_5 = AT_4 + 1728,
       AT_6 = AT_5 + 8000, AT_7 = AT_6 + 6000 };
enum { SIGN_AT_1 = 160, SIGN_AT_2 = SIGN_AT_1 + 2646, SIGN_AT_3 = SIGN_AT_2 + 1701, SIGN_AT_4 = SIGN_AT_3 + 400 };

/* Components close to the one that is coded, in a chunk of a row's blocks, and facts about it. */
typedef struct {
  const int8_t *first;
  const int8_t *second;
  const int8_t *parent;
  const int8_t *uncle;
  const int8_t *third;
  const int8_t *fourth;
  /* Signed scores of the parent and the uncle, where they tell of signs. */
  const int8_t *parent_signs;
  const int8_t *uncle_signs;
  int64_t channel;
  int64_t group;
  int64_t place;
} Family;

/* Contexts of magnitudes, as far as components that are coded decide them. */
typedef struct {
  uint8_t triple[CHUNK];
  uint8_t pair[CHUNK];
  int16_t relatives[CHUNK];
} Kinship;

ALWAYS_INLINE const int8_t *relative_of(const Known *known, const int8_t *planes, int64_t index) {
  return planes + plane_of(known, index >= 0 ? index : known->count);
}

static inline Family family_of(const Slice *slice, int64_t index) {
  const Plan *plan = &slice->plan;
  const Known *known = &slice->known;
  const int16_t *related = plan->related + N_RELATED * index;
  int coloured = plan->channel[index] > 0;
  return (Family){
      relative_of(known, known->magnitudes, related[0]), relative_of(known, known->magnitudes, related[1]),
      relative_of(known, known->magnitudes, related[2]), relative_of(known, known->magnitudes, related[3]),
      relative_of(known, known->magnitudes, related[4]), relative_of(known, known->magnitudes, related[5]),
      relative_of(known, known->scores, coloured ? related[2] : -1),
      relative_of(known, known->scores, coloured ? related[3] : -1),
      least(plan->channel[index], 2), plan->group[index], plan->place[index]};
}

ALWAYS_INLINE int capped(int value, int highest) { return value < highest ? value : highest; }

/* The bin of an expected magnitude in 1/256 steps, from 0 to 39. */
ALWAYS_INLINE int bin_of(const int8_t *bins, int size) {
  int place = size >> 2;
  place = place > 0 ? place : 0;
  return bins[capped(place, LEVELS - 1)];
}

/* How busy it is beside a block, in eight levels. */
ALWAYS_INLINE int beside_of(int busy) {
  static const uint8_t NEAR[21] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7};
  return NEAR[capped(busy, 20)];
}

/* Finds the contexts of components close to this one, in a chunk of blocks and around each. */
static inline void find_kinship(const Family *kin, int64_t place, int64_t pitch, Kinship *result) {
  const int8_t *first = kin->first + place, *second = kin->second + place, *parent = kin->parent + place;
  const int8_t *uncle = kin->uncle + place, *third = kin->third + place, *fourth = kin->fourth + place;
  for (int i = 0; i < CHUNK; i++) {
    uint8_t a = (uint8_t)first[i], b = (uint8_t)second[i], c = (uint8_t)parent[i];
    uint8_t sum = (uint8_t)(2 * (a + b) + c);
    result->pair[i] = sum < 11 ? sum : 11;
    result->triple[i] = (uint8_t)(((a < 4 ? a : 4) * 5 + (b < 4 ? b : 4)) * 3 + (c < 2 ? c : 2));
  }
  if (kin->channel == 0) {
    for (int i = 0; i < CHUNK; i++) {
      uint8_t ahead = (uint8_t)(first[i + 1] + second[i + 1] + first[i + pitch] + second[i + pitch]);
      uint8_t c = (uint8_t)third[i], d = (uint8_t)fourth[i];
      result->relatives[i] = (uint8_t)(((c < 3 ? c : 3) * 4 + (d < 3 ? d : 3)) * 6 + (ahead < 5 ? ahead : 5));
    }
    return;
  }
  int16_t base = (int16_t)(100 * kin->channel);
  for (int i = 0; i < CHUNK; i++) {
    uint8_t beside = (uint8_t)(parent[i + 1] + parent[i - 1] + parent[i + pitch] + parent[i - pitch]);
    uint8_t c = (uint8_t)parent[i], d = (uint8_t)uncle[i];
    /* Half the level of beside_of(). */
    uint8_t half = (uint8_t)((beside >= 2) + (beside >= 4) + (beside >= 9));
    result->relatives[i] = (int16_t)(base + (uint8_t)(((c < 4 ? c : 4) * 4 + (d < 3 ? d : 3)) * 5 + half));
  }
}

/* What is expected of one magnitude. */
typedef struct {
  int size;
  int own;
  int value;
  int causal;
  int busy;
  /* The bins of all that is expected, of what its own block expects, and of the value with its sign. */
  int bin;
  int own_bin;
  int value_bin;
} Hopes;

/* Finds the contexts of a magnitude; in each, UNARY models follow each other.
 *
 * All indices are in range whatever was coded: bins are below 40, magnitudes at most LOUDEST, and all else is
 * capped.
 */
ALWAYS_INLINE void size_contexts(const Family *kin, const Kinship *kinship, const int8_t *bins, int column,
                                 const Hopes *hopes, uint32_t *models, uint32_t **contexts) {
  int bin = hopes->bin, half = bin >> 1, own_bin = hopes->own_bin, group = (int)kin->group;
  int around_bin = bin_of(bins, hopes->size - hopes->own), causal_bin = bin_of(bins, hopes->causal);
  int places[INPUTS];
  places[0] = bin * GROUPS + group;
  places[1] = AT_1 + (int)kin->place * 20 + half;
  places[2] = AT_2 + kinship->triple[column] * 20 + half;
  places[3] = AT_3 + own_bin * BINS + bin;
  places[4] = AT_4 + (capped(hopes->busy, 11) * 12 + kinship->pair[column]) * GROUPS + group;
  places[5] = AT_5 + ((own_bin >> 1) * 20 + (around_bin >> 1)) * 20 + (causal_bin >> 1);
  places[6] = AT_6 + kinship->relatives[column] * 20 + half;
  places[7] = AT_7 + ((hopes->value_bin >> 1) * 20 + half) * 3 + (int)kin->channel;
  for (int i = 0; i < INPUTS; i++) contexts[i] = models + places[i] * UNARY;
}

/* 0 for zero, 1 for the expected sign, 2 for the other. */
ALWAYS_INLINE int side_of(int score, int turned) { return score == 0 ? 0 : (score > 0) != turned ? 1 : 2; }

/* Finds the contexts of whether a sign is other than expected; `scores` are the component's signed ones, `place`
 * is the block's in each plane. Returns the set of weights. */
ALWAYS_INLINE int sign_contexts(const Family *kin, const int8_t *scores, int64_t place, int64_t pitch,
                                const Hopes *hopes, int magnitude, uint32_t *models, uint32_t **contexts) {
  int turned = hopes->value < 0, bin = hopes->value_bin, size = capped(magnitude, 4) - 1;
  int above = side_of(scores[place - pitch], turned), left = side_of(scores[place - 1], turned);
  int parent = side_of(kin->parent_signs[place], turned), uncle = side_of(kin->uncle_signs[place], turned);
  int own = (int)kin->place, third = bin / 3;
  contexts[0] = models + bin * 4 + size;
  contexts[1] = models + SIGN_AT_1 + own * 14 + third;
  contexts[2] = models + SIGN_AT_2 + (own * 3 + above) * 3 + left;
  contexts[3] = models + SIGN_AT_3 + (bin >> 1) * 20 + (hopes->bin >> 1);
  contexts[4] = models + SIGN_AT_4 + (own * 3 + parent) * 3 + uncle;
  return third * 4 + size;
}

#endif
