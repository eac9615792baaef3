/* Coding the scores of a component: each in the light of all that is known around it.
 *
 * Where next to nothing is expected, a zero costs one bit of one model; everywhere else several contexts
 * speak, mixed. Floats are the encoder's alone: it chooses the magnitude that costs the least.
 */
#include "contexts.h"
#include "numbers.h"

#define QUIET_LIMIT 1000

/* Weights and curves for a magnitude: those of its first bit. */
typedef struct {
  int32_t *weights;
  int32_t *more;
  int32_t *by_component;
  int32_t *by_place;
} Sets;

/* A bit as the mixer sees it. */
typedef struct {
  int32_t inputs[INPUTS];
  int32_t logit;
} Mix;

/* What coding one component needs, and what it learns: all of it held in registers or close by. */
typedef struct {
  const Slice *slice;
  Scales scales;
  Mixer mixer;
  RangeCoder range;
  const int8_t *bins;
  const float *bits;
  double price;
} Coder;

ALWAYS_INLINE int code(Coder *coder, int64_t chance, int bit, int reading) {
  return range_code(&coder->range, chance, bit, reading);
}

ALWAYS_INLINE void mix(const Sets *sets, Model *const *contexts, int bit, Mix *result) {
  for (int i = 0; i < INPUTS; i++) result->inputs[i] = contexts[i][bit].logit;
  result->logit = weighed(result->inputs, sets->weights + bit * INPUTS, sets->more + bit * INPUTS, INPUTS);
}

ALWAYS_INLINE void mix_sign(const Mixer *signs, Model *const *contexts, int set, Mix *result) {
  for (int i = 0; i < SIGN_INPUTS; i++) result->inputs[i] = contexts[i]->logit;
  result->logit = weighed(result->inputs, signs->weights + set * SIGN_INPUTS, signs->more, SIGN_INPUTS);
}

/* The probability of a bit: the mixer's, corrected by what came of such before. */
ALWAYS_INLINE int64_t chance_in(const Coder *coder, const Sets *sets, int bit, int32_t logit) {
  int curve = capped(bit, 2) * KNOTS;
  int64_t first = corrected(sets->by_component + curve, logit);
  int64_t second = corrected(sets->by_place + curve, logit);
  int64_t chance = (2 * coder->scales.probabilities[logit + LOGIT_LIMIT] + first + second) >> 2;
  return within(chance, 1, ONE - 1);
}

/* Codes what a magnitude is above the unary part: the count of its digits, then these. */
static __attribute__((noinline)) int64_t escape(RangeCoder *range, uint32_t *models, const int32_t *rates,
                                                int64_t rest, int reading) {
  int length = digits(rest + 1) - 1, found = 0;
  while (found < ESCAPES - 1) {
    int bit = range_code(range, chance_of(models[found], 64), length > found, reading);
    models[found] = taught(models[found], bit, rates, 30);
    if (!bit) break;
    found++;
  }
  int64_t value = 1;
  for (int place = found - 1; place >= 0; place--) {
    value = 2 * value + range_code(range, ONE / 2, (int)(((rest + 1) >> place) & 1), reading);
  }
  return value - 1;
}

/* The magnitude that costs the least: squared error plus the price of its bits. Looked at are the nearest
 * whole number, the next one below, and zero instead of two. The mixes up to there are kept. */
ALWAYS_INLINE int64_t best(const Coder *coder, float size, int start, double sign_bits, const Sets *sets,
                    Model *const *contexts, Mix *mixes, int *ready) {
  int64_t nearest = (int64_t)(size + 0.5);
  if (nearest <= start || nearest >= UNARY) return nearest;
  double lowest = 1e30, spent = 0;
  int64_t found = nearest;
  for (int bit = start; bit <= nearest; bit++) {
    mix(sets, contexts, bit, mixes + bit);
    int64_t chance = chance_in(coder, sets, bit, mixes[bit].logit);
    /* This bit ends the number where it is 0. */
    if (bit >= nearest - 1 || (bit == 0 && nearest == 2)) {
      double middle = bit - (bit == 1 ? 0.04 : bit > 1 ? 0.02 : 0.0);
      double cost = spent + coder->bits[ONE - chance] + (bit > 0 ? sign_bits : 0.0);
      double loss = (size - middle) * (size - middle) + coder->price * cost;
      if (loss < lowest) {
        lowest = loss;
        found = bit;
      }
    }
    spent += coder->bits[chance];
  }
  *ready = (int)nearest + 1;
  return found;
}

/* Codes a magnitude that is known to be at least `start`; mixes of bits below `ready` are made already. */
ALWAYS_INLINE int64_t magnitude(Coder *coder, int start, int64_t wanted, int64_t channel, const Sets *sets,
                                Model *const *contexts, Mix *mixes, int ready, int reading) {
  for (int found = start; found < UNARY; found++) {
    Mix *now = mixes + (reading ? 0 : found);
    if (reading || found >= ready) mix(sets, contexts, found, now);
    int curve = capped(found, 2) * KNOTS;
    int bit = code(coder, chance_in(coder, sets, found, now->logit), wanted > found, reading);
    teach_weights(&coder->mixer, &coder->scales, now->inputs, sets->weights + found * INPUTS,
                  sets->more + found * INPUTS, INPUTS, now->logit, bit);
    for (int i = 0; i < INPUTS; i++) teach(contexts[i] + found, bit, &coder->scales, coder->mixer.limit);
    correct(sets->by_component + curve, now->logit, bit);
    correct(sets->by_place + curve, now->logit, bit);
    if (!bit) return found;
  }
  /* A copy, so that the coder itself stays in registers. */
  RangeCoder range = coder->range;
  uint32_t *models = coder->slice->learned.escapes + channel * ESCAPES;
  int64_t rest = escape(&range, models, coder->scales.rates, wanted - UNARY, reading);
  coder->range = range;
  return UNARY + rest;
}

/* Whether a score of which next to nothing is expected is worth its bits. */
ALWAYS_INLINE int alive(const Coder *coder, float size, int64_t chance) {
  if (!(size >= 0.5f)) return 0;
  float rest = size - 0.96f, square = size * size, rest_square = rest * rest;
  double cost = coder->price * ((double)coder->bits[chance] + 2.0 - coder->bits[ONE - chance]);
  return size >= 1.5f || square > rest_square + cost;
}

/* Remembers a score that is not zero. */
ALWAYS_INLINE void remember(const Known *known, int64_t index, int64_t row, int64_t column, int64_t score) {
  int64_t place = plane_of(known, index) + row * pitch_of(known) + column, chunk = column / CHUNK;
  int64_t size = least(magnitude_of(score), LOUDEST);
  known->scores[place] = (uint8_t)(score < 0 ? size | (MAGNITUDE + 1) : size);
  int64_t word = index / 64;
  uint64_t bit = UINT64_C(1) << (index % 64);
  for (int64_t y = row - 1; y <= row + 1; y++) {
    near_of(known, y, chunk)[word] |= bit;
    if (UNLIKELY(column % CHUNK == 0)) near_of(known, y, chunk - 1)[word] |= bit;
    if (UNLIKELY(column % CHUNK == CHUNK - 1)) near_of(known, y, chunk + 1)[word] |= bit;
  }
}

/* Codes one component of a slice, or decodes it. */
ALWAYS_INLINE void code_scores(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                               const int32_t *predicted, void *plane, int wide, double price, int reading) {
  const Plan *plan = &slice->plan;
  const Learned *learned = &slice->learned;
  const Known known = slice->known;
  Coder coder = {slice, slice->scales, learned->mixer, *state, plan->bins, slice->bits, price};
  const Mixer signs = learned->signs;
  const Family kin = family_of(slice, index);
  const int8_t *bins = plan->bins;
  const uint8_t *own_scores = known.scores + plane_of(&known, index);
  const int16_t *causals = plan->causal + 4 * index, *own_sign = plan->own_sign + 2 * index;
  int64_t pitch = pitch_of(&known), largest = largest_score(wide);
  uint32_t *quiet = learned->quiet + kin.place * QUIET;
  Expectation expected;
  Kinship kinship;
  Mix mixes[UNARY];
  Model *models = (Model *)learned->mixer.models, *sign_first = (Model *)signs.models;
  Model *contexts[INPUTS], *sign_models[SIGN_INPUTS];
  for (int64_t row = 0; row < known.rows; row++) {
    for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
      int64_t start_place = row * pitch + chunk * CHUNK;
      int count = (int)least(known.columns - chunk * CHUNK, CHUNK), related = 0;
      expect_chunk(slice, index, row, chunk, &expected);
      for (int column = 0; column < count; column++) {
        int64_t place = start_place + column, number = row * known.columns + chunk * CHUNK + column;
        float size = 0;
        int negative = 0;
        if (!reading) {
          float rest = wanted[number] - (float)predicted[number] / 256.0f;
          negative = rest < 0;
          /* Far above the largest; every whole number up to here is a float. */
          size = negative ? -rest : rest;
          size = size < 16777216.0f ? size : 16777216.0f;
        }
        const uint8_t *here = own_scores + place;
        int left = here[-1] & MAGNITUDE;
        Hopes hopes;
        hopes.busy = expected.busy[column] + 2 * left;
        hopes.causal = (here[-pitch] & MAGNITUDE) * causals[0] + left * causals[1] +
                       (here[-pitch - 1] & MAGNITUDE) * causals[2] +
                       (here[-pitch + 1] & MAGNITUDE) * causals[3];
        hopes.size = expected.size[column];
        hopes.bin = bin_of(bins, hopes.size + hopes.causal);
        int start = 0;
        if (hopes.bin < QUIET && hopes.busy == 0) {
          uint32_t word = quiet[hopes.bin];
          int64_t chance = chance_of(word, 2);
          start = code(&coder, chance, reading ? 0 : alive(&coder, size, chance), reading);
          quiet[hopes.bin] = taught(word, start, coder.scales.rates, QUIET_LIMIT);
          if (!start) continue;
        }
        if (!related) find_kinship(&kin, start_place, pitch, &kinship);
        related = 1;
        hopes.own = expected.own[column];
        hopes.value = (int16_t)(expected.value[column] + signed_of(here[-1]) * own_sign[0] +
                                signed_of(here[-pitch]) * own_sign[1]);
        hopes.own_bin = bin_of(bins, hopes.own);
        hopes.value_bin = bin_of(bins, hopes.value < 0 ? -hopes.value : hopes.value);
        size_contexts(&kin, &kinship, bins, column, &hopes, models, contexts);
        int beside = beside_of(hopes.busy), turned = hopes.value < 0;
        Sets sets = {learned->mixer.weights + hopes.bin * UNARY * INPUTS,
                     learned->mixer.more + (kin.group * AROUND + beside) * UNARY * INPUTS,
                     learned->by_component + kin.place * 3 * KNOTS,
                     learned->by_place + (beside * 20 + (hopes.own_bin >> 1)) * 3 * KNOTS};
        Mix sign;
        int64_t target = 0;
        int ready = 0, sign_set = 0;
        if (!reading) {
          target = least((int64_t)(size + 0.5f), largest);
          if (target > start) {
            sign_set = sign_contexts(&kin, own_scores, place, pitch, &hopes, (int)target, sign_first,
                                     sign_models);
            mix_sign(&signs, sign_models, sign_set, &sign);
            int64_t chance = coder.scales.probabilities[sign.logit + LOGIT_LIMIT];
            double sign_bits = coder.bits[negative != turned ? chance : ONE - chance];
            target = least(best(&coder, size, start, sign_bits, &sets, contexts, mixes, &ready), largest);
          }
          target = most(target, start);
        }
        int64_t found = magnitude(&coder, start, target, kin.channel, &sets, contexts, mixes, ready, reading);
        found = least(found, largest);
        if (found == 0) continue;
        sign_set = sign_contexts(&kin, own_scores, place, pitch, &hopes, (int)found, sign_first, sign_models);
        mix_sign(&signs, sign_models, sign_set, &sign);
        int64_t chance = coder.scales.probabilities[sign.logit + LOGIT_LIMIT];
        int bit = code(&coder, chance, negative ^ turned, reading);
        teach_weights(&signs, &coder.scales, sign.inputs, signs.weights + sign_set * SIGN_INPUTS, signs.more,
                      SIGN_INPUTS, sign.logit, bit);
        for (int i = 0; i < SIGN_INPUTS; i++) teach(sign_models[i], bit, &coder.scales, signs.limit);
        int64_t score = bit ^ turned ? -found : found;
        put_score(plane, wide, number, score);
        remember(&known, index, row, chunk * CHUNK + column, score);
      }
    }
  }
  *state = coder.range;
}

/* The component is counted without the constant ones. What is wanted, less what is predicted in 1/256, is in
 * units of the step; the price is the squared error, in squared steps, that a bit is worth. */
API void pcai_code_scores_16(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                             const int32_t *predicted, int16_t *plane, double price, int64_t reading) {
  if (reading) {
    code_scores(slice, state, index, wanted, predicted, plane, 0, price, 1);
  } else {
    code_scores(slice, state, index, wanted, predicted, plane, 0, price, 0);
  }
}

API void pcai_code_scores_32(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                             const int32_t *predicted, int32_t *plane, double price, int64_t reading) {
  if (reading) {
    code_scores(slice, state, index, wanted, predicted, plane, 1, price, 1);
  } else {
    code_scores(slice, state, index, wanted, predicted, plane, 1, price, 0);
  }
}
