/* The contexts in which a score's magnitude and its sign are coded. */
#ifndef PCAI_CONTEXTS_H
#define PCAI_CONTEXTS_H

#include "expectation.h"

/* The first context of each input of signs. */
enum { SIGN_AT_1 = 160, SIGN_AT_2 = SIGN_AT_1 + 2646, SIGN_AT_3 = SIGN_AT_2 + 1701,
       SIGN_AT_4 = SIGN_AT_3 + 400, SIGN_AT_5 = SIGN_AT_4 + 1701 };

/* Components close to the one that is coded, and facts about it. */
typedef struct {
  const uint8_t *first;
  const uint8_t *second;
  const uint8_t *parent;
  const uint8_t *third_channel;
  const uint8_t *third;
  const uint8_t *fourth;
  int64_t channel;
  int64_t group;
  int64_t place;
} Related;

/* Contexts of magnitudes, as far as components that are coded decide them. */
typedef struct {
  uint8_t triple[CHUNK];
  uint8_t pair[CHUNK];
  uint8_t relatives[CHUNK];
} Neighbours;

ALWAYS_INLINE const uint8_t *relative_of(const CodedScores *known, int64_t index) {
  return known->scores + place_of_plane(known, index >= 0 ? index : known->components);
}

static inline Related related_of(const Slice *slice, int64_t index) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  const int16_t *related = plan->related + N_RELATED * index;
  return (Related){relative_of(known, related[0]), relative_of(known, related[1]),
                  relative_of(known, related[2]), relative_of(known, related[3]),
                  relative_of(known, related[4]), relative_of(known, related[5]),
                  least(plan->channel[index], 2), plan->group[index], plan->place[index]};
}

ALWAYS_INLINE int capped(int value, int highest) { return value < highest ? value : highest; }

/* The bin of an expected magnitude in 1/256 steps, from 0 to 39. */
ALWAYS_INLINE int bin_of(const int8_t *bins, int size) {
  int place = size >> 2;
  place = place > 0 ? place : 0;
  return bins[capped(place, LEVELS - 1)];
}

/* The level of activity beside a block, of eight. */
ALWAYS_INLINE int beside_of(int busy) {
  static const uint8_t NEAR[21] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7};
  return NEAR[capped(busy, 20)];
}

/* Finds the contexts of components close to this one, in a chunk of blocks and around each. Sums of
 * magnitudes are below 128. */
ALWAYS_INLINE void find_neighbours(const Related *related, int64_t place, int64_t pitch, Neighbours *result) {
  const uint8_t *first = related->first + place, *second = related->second + place;
  const uint8_t *third = related->third + place, *fourth = related->fourth + place;
  const uint8_t *parent = related->parent + place, *third_channel = related->third_channel + place;
  for (int i = 0; i < CHUNK; i++) {
    uint8_t a = (uint8_t)whole_of(first[i]), b = (uint8_t)whole_of(second[i]);
    uint8_t c = (uint8_t)whole_of(parent[i]);
    uint8_t sum = (uint8_t)(2 * (a + b) + c);
    result->pair[i] = sum < 11 ? sum : 11;
    result->triple[i] = (uint8_t)(((a < 4 ? a : 4) * 5 + (b < 4 ? b : 4)) * 3 + (c < 2 ? c : 2));
  }
  if (related->channel == 0) {
    for (int i = 0; i < CHUNK; i++) {
      uint8_t ahead = (uint8_t)(whole_of(first[i + 1]) + whole_of(second[i + 1]) +
                                whole_of(first[i + pitch]) + whole_of(second[i + pitch]));
      uint8_t c = (uint8_t)whole_of(third[i]), d = (uint8_t)whole_of(fourth[i]);
      result->relatives[i] = (uint8_t)(((c < 3 ? c : 3) * 4 + (d < 3 ? d : 3)) * 6 + (ahead < 5 ? ahead : 5));
    }
    return;
  }
  for (int i = 0; i < CHUNK; i++) {
    uint8_t beside = (uint8_t)(whole_of(parent[i + 1]) + whole_of(parent[i - 1]) +
                               whole_of(parent[i + pitch]) + whole_of(parent[i - pitch]));
    uint8_t c = (uint8_t)whole_of(parent[i]), d = (uint8_t)whole_of(third_channel[i]);
    /* Half the level of beside_of(). */
    uint8_t half = (uint8_t)((beside >= 2) + (beside >= 4) + (beside >= 9));
    result->relatives[i] = (uint8_t)(((c < 4 ? c : 4) * 4 + (d < 3 ? d : 3)) * 5 + half);
  }
}

/* What decides the contexts of one score: what is expected of it. */
typedef struct {
  int size;
  int own;
  int value;
  int causal;
  int busy;
  /* The bins of all that is expected, of what its own block, others and its own component expect, and of the value with
   * its sign. */
  int bin;
  int own_bin;
  int around_bin;
  int causal_bin;
  int value_bin;
  /* What a network expects, in 1/256 steps, and its bin. */
  int network;
  int network_bin;
} ScoreContext;

/* The first context of each input with dependent quantisation; each has them for both quantisers. */
enum { AT_1 = 2 * 3780, AT_2 = AT_1 + 2 * 1500,
       AT_3 = AT_2 + 2 * 8000, AT_4 = AT_3 + 2 * 6000 };

/* Finds the contexts of a magnitude, for either quantiser: rows of UNARY models. */
ALWAYS_INLINE void size_contexts(const Related *related, const Neighbours *neighbours, int column,
                                 const ScoreContext *context, int quantizer, Rows *rows, Model **contexts) {
  int half = context->bin >> 1;
  int places[SCORES_INPUTS];
  places[0] = quantizer * 3780 + (int)related->place * 20 + half;
  places[1] = AT_1 + quantizer * 1500 + neighbours->triple[column] * 20 + half;
  places[2] = AT_2 + quantizer * 8000 +
              ((context->own_bin >> 1) * 20 + (context->around_bin >> 1)) * 20 + (context->causal_bin >> 1);
  places[3] = AT_3 + quantizer * 6000 +
              (100 * (int)related->channel + neighbours->relatives[column]) * 20 + half;
  places[4] = AT_4 + quantizer * 2400 + ((int)related->channel * BINS + context->network_bin) * 20 + half;
  for (int i = 0; i < SCORES_INPUTS; i++) contexts[i] = row_of(rows, places[i], UNARY);
}

/* A known score, up to LOUDEST. */
ALWAYS_INLINE int signed_of(uint8_t score) {
  int size = score & MAGNITUDE;
  return score > MAGNITUDE ? -size : size;
}

/* 0 for zero, 1 for the expected sign, 2 for the other; of a known score. */
ALWAYS_INLINE int side_of(uint8_t score, int turned) { return score == 0 ? 0 : 1 + ((score >> 7) ^ turned); }

/* The context of a sign by what a network expects, and whether all that is expected `differs` from that. */
ALWAYS_INLINE int network_sign(const ScoreContext *context, int magnitude, int differs) {
  return SIGN_AT_5 + (context->network_bin * 2 + differs) * 4 + capped(magnitude, 4) - 1;
}

/* Finds the contexts of whether a sign is other than expected; `scores` are the component's, and `place` is
 * the block's in each plane. Returns the set of weights. */
ALWAYS_INLINE int sign_contexts(const Related *related, const uint8_t *scores, int64_t place, int64_t pitch,
                                const ScoreContext *context, int magnitude, Model *models, Model **contexts) {
  int turned = context->value < 0, bin = context->value_bin, size = capped(magnitude, 4) - 1;
  int above = side_of(scores[place - pitch], turned), left = side_of(scores[place - 1], turned);
  int parent = related->channel > 0 ? side_of(related->parent[place], turned) : 0;
  int third_channel = related->channel > 0 ? side_of(related->third_channel[place], turned) : 0;
  int own = (int)related->place, third = bin / 3;
  contexts[0] = models + bin * 4 + size;
  contexts[1] = models + SIGN_AT_1 + own * 14 + third;
  contexts[2] = models + SIGN_AT_2 + (own * 3 + above) * 3 + left;
  contexts[3] = models + SIGN_AT_3 + (bin >> 1) * 20 + (context->bin >> 1);
  contexts[4] = models + SIGN_AT_4 + (own * 3 + parent) * 3 + third_channel;
  contexts[5] = models + network_sign(context, magnitude, (context->network < 0) ^ turned);
  return third * 4 + size;
}

#endif
