/* All that follows from a photo's header and the tables: its components in their order, what each tells of
 * others, their steps, and the networks. */
#ifndef PCAI_PLAN_H
#define PCAI_PLAN_H

#include "file.h"
#include "photo.h"
#include "tables.h"

enum {
  MOST_PLANES = 64 * MOST_CHANNELS,
  MOST_INPUTS_KNOWN = 68, /* of a network: an even number */
  MOST_HIDDEN = 96,
  MOST_RESULTS = 36,
  N_LOGITS = 2 * LOGIT_LIMIT + 1
};

/* Bits of the fractions of constant components, and of those that are a picture of their own. */
enum { HALF_BITS = 1, NESTED_BITS = 4 };

/* Scores are `wide` if they have 32 bits. Steps differ by `levels` of regions, if there are several, and if
 * they do so at all, `by_level` is 1. Constant components have a `fraction` of so many bits. */
typedef struct {
  Header header;
  Tables tables;
  int64_t channels, components, levels, fraction;
  int wide, by_level, dependent, grade;
  Plan plan;
  Scales scales;
  Network networks[NETWORK_KINDS][NETWORK_GROUPS];
  /* The plane of each component in the order of the file, and the weights by which it is predicted from means.
   */
  int64_t planes[MOST_PLANES];
  int32_t prediction[8 * MOST_COMPONENTS];
  /* Of the step, in 2^-20, and their inverses in 2^-12, by plane and level. */
  int32_t factors[MOST_PLANES * MOST_LEVELS], inverses[MOST_PLANES * MOST_LEVELS];
  /* What the structs above point to. */
  uint64_t predictors[MOST_COMPONENTS * SET_WORDS], sign_predictors[MOST_COMPONENTS * SET_WORDS];
  int16_t told[MOST_COMPONENTS * MOST_COMPONENTS * 3], signs[MOST_COMPONENTS * MOST_COMPONENTS * 4];
  int16_t own_sign[2 * MOST_COMPONENTS], causal[4 * MOST_COMPONENTS], level[MOST_COMPONENTS];
  int16_t related[N_RELATED * MOST_COMPONENTS], channel[MOST_COMPONENTS], group[MOST_COMPONENTS];
  int16_t place[MOST_COMPONENTS];
  int8_t bins[LEVELS];
  int16_t logits[ONE];
  int32_t probabilities[N_LOGITS], rates[1024];
  int16_t hidden[NETWORK_KINDS][NETWORK_GROUPS][MOST_HIDDEN * MOST_INPUTS_KNOWN];
  int16_t thresholds[NETWORK_KINDS][NETWORK_GROUPS][MOST_HIDDEN];
  int16_t outputs[NETWORK_KINDS][NETWORK_GROUPS][MOST_RESULTS * MOST_HIDDEN];
} PhotoPlan;

/* The group of a component, 8 u + v, that is not constant. */
ALWAYS_INLINE int network_group_of(int place) {
  int sum = (place >> 3) + (place & 7);
  return sum <= 4 ? sum - 1 : sum <= 6 ? 4 : 5;
}

/* The grade of the tables for a photo's step. */
int grade_of_step(const Header *header);

/* The step as a number, exactly. */
double step_of(const Header *header);

/* The exponent of a component's step, by its plane, in sixteenths of an octave; and the factor 2^(exponent /
 * 16) with 14 bits, of which `root` has the fraction. */
int64_t step_exponent(const Header *header, int64_t plane, int64_t level);
int32_t step_root(int64_t exponent);

/* Makes a plan for a header, from the inflated tables; those of its grade may be missing if nothing is coded.
 * Returns a fault: tables that are damaged, or a step too small for scores of 32 bits. */
int make_plan(PhotoPlan *plan, const Header *header, Bytes shared, Bytes grade);

#endif
