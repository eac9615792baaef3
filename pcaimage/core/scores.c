/* Coding the scores of a component: each in the light of all that is known around it.
 *
 * Where next to nothing is expected, a zero costs one bit of one model; everywhere else several contexts
 * speak, mixed. Floats are the encoder's alone: it chooses the magnitude that costs the least.
 */
#include "scores.h"

ALWAYS_INLINE void mix_sign(const Mixer *signs, Model *const *contexts, int set, Mix *result) {
  look(contexts, 0, SIGN_INPUTS, signs->weights + set * SIGN_INPUTS, signs->more, result);
}

/* Codes whether a sign is other than expected. */
ALWAYS_INLINE int code_sign(Coder *coder, const Mixer *signs, Model *const *contexts, int set, int bit,
                            int reading) {
  Mix sign;
  mix_sign(signs, contexts, set, &sign);
  bit = code(coder, coder->scales.probabilities[sign.logit + LOGIT_LIMIT], bit, reading);
  learn(signs, &coder->scales, contexts, 0, SIGN_INPUTS, signs->weights + set * SIGN_INPUTS, signs->more, &sign,
        bit);
  return bit;
}

/* Codes a magnitude that is known to be at least `start`; mixes of bits below `ready` are made already. */
ALWAYS_INLINE int64_t magnitude(Coder *coder, int start, int64_t wanted, int64_t channel, const Sets *sets,
                                Model *const *contexts, Mix *mixes, int ready, int reading) {
  for (int found = start; found < UNARY; found++) {
    Mix *now = mixes + (reading ? 0 : found);
    if (reading || found >= ready) mix(sets, contexts, found, INPUTS, now);
    int bit = code(coder, chance_in(coder, sets, found, now->logit), wanted > found, reading);
    learn(&coder->mixer, &coder->scales, contexts, found, INPUTS, sets->weights + found * INPUTS,
          sets->more + found * INPUTS, now, bit);
    correct_both(sets, found, now->logit, bit);
    if (!bit) return found;
  }
  return large_magnitude(coder, wanted, channel, reading);
}

/* Codes one component of a slice, or decodes it. */
ALWAYS_INLINE void code_scores(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                               const int32_t *predicted, void *plane, int wide, double price, int reading) {
  const Plan *plan = &slice->plan;
  const Learned *learned = &slice->learned;
  const CodedScores known = slice->known;
  Coder coder = {slice, slice->scales, learned->mixer, *state, plan->bins, slice->bits, price};
  const Mixer signs = learned->signs;
  const Family kin = family_of(slice, index);
  const int8_t *bins = plan->bins;
  uint8_t *own_scores = known.scores + plane_of(&known, index);
  const int16_t *causals = plan->causal + 4 * index, *own_sign = plan->own_sign + 2 * index;
  int64_t pitch = pitch_of(&known), largest = largest_score(wide);
  uint32_t *quiet = learned->quiet + kin.place * QUIET;
  Expectation expected;
  Kinship kinship;
  Mix mixes[UNARY];
  Model *models = (Model *)learned->mixer.models, *sign_first = (Model *)signs.models;
  Model *contexts[INPUTS], *sign_models[TOLD_SIGN_INPUTS];
  for (int64_t row = 0; row < known.rows; row++) {
    for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
      int64_t start_place = row * pitch + chunk * CHUNK;
      int count = (int)least(known.columns - chunk * CHUNK, CHUNK), related = 0;
      uint64_t others = 0;
      expect_chunk_narrow(slice, index, row, chunk, 0, &expected);
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
        if (!related) find_kinship(&kin, start_place, pitch, 0, &kinship);
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
            sign_set = sign_contexts(&kin, own_scores, place, pitch, &hopes, (int)target, 0, sign_first,
                                     sign_models);
            mix_sign(&signs, sign_models, sign_set, &sign);
            int64_t chance = coder.scales.probabilities[sign.logit + LOGIT_LIMIT];
            double sign_bits = coder.bits[negative != turned ? chance : ONE - chance];
            target = least(best(&coder, size, start, sign_bits, &sets, contexts, INPUTS, 1, mixes, &ready),
                           largest);
          }
          target = most(target, start);
        }
        int64_t found = magnitude(&coder, start, target, kin.channel, &sets, contexts, mixes, ready, reading);
        found = least(found, largest);
        if (found == 0) continue;
        sign_set = sign_contexts(&kin, own_scores, place, pitch, &hopes, (int)found, 0, sign_first, sign_models);
        int bit = code_sign(&coder, &signs, sign_models, sign_set, negative ^ turned, reading);
        int64_t score = bit ^ turned ? -found : found;
        put_score(plane, wide, number, score);
        own_scores[place] = known_score(score, LOUDEST);
        others |= UINT64_C(1) << column;
      }
      remember(&known, index, row, chunk, others);
    }
  }
  *state = coder.range;
}

/* Compiled once for writing and once for reading: for either width it would take twice as long, and not be
 * faster, as all that depends on it is how a score is put. */
static __attribute__((noinline)) void write_scores(const Slice *slice, RangeCoder *state, int64_t index,
                                                   const float *wanted, const int32_t *predicted, void *plane,
                                                   int wide, double price) {
  code_scores(slice, state, index, wanted, predicted, plane, wide, price, 0);
}

static __attribute__((noinline)) void read_scores(const Slice *slice, RangeCoder *state, int64_t index,
                                                  const int32_t *predicted, void *plane, int wide) {
  code_scores(slice, state, index, 0, predicted, plane, wide, 0, 1);
}

/* The component is counted without the constant ones. What is wanted, less what is predicted in 1/256, is in
 * units of the step; the price is the squared error, in squared steps, that a bit is worth. */
API void pcai_code_scores_16(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                             const int32_t *predicted, int16_t *plane, double price, int64_t reading) {
  if (reading) {
    read_scores(slice, state, index, predicted, plane, 0);
  } else {
    write_scores(slice, state, index, wanted, predicted, plane, 0, price);
  }
}

API void pcai_code_scores_32(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                             const int32_t *predicted, int32_t *plane, double price, int64_t reading) {
  if (reading) {
    read_scores(slice, state, index, predicted, plane, 1);
  } else {
    write_scores(slice, state, index, wanted, predicted, plane, 1, price);
  }
}
