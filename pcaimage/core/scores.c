/* Coding the scores of a component with dependent quantisation.
 *
 * Two quantisers have a step of Δ each: one has the multiples of Δ, the other zero and the odd multiples of
 * Δ/2. Which one a score has follows from a state of eight, which starts at 0 with each component and goes on
 * with the parity of each index. So points lie as densely as with steps of Δ/2, and a path through the states
 * chooses among them as a vector quantiser does. The encoder looks for the cheapest path, a row of blocks at
 * a time, by the coder's own costs.
 *
 * A score is stored in half steps, 2 i - s for index i and quantiser s, so that nothing else needs states.
 *
 * T. R. Fischer, M. Wang, "Entropy-constrained trellis-coded quantization", IEEE Trans. Information Theory
 * 38, 1992. H. Schwarz et al., "Hybrid video coding with trellis-coded quantization", Data Compression
 * Conference 2019.
 */
#include "lanes.h"
#include "scores.h"

/* The bits that a sign is taken to cost where paths are compared. */
#define SIGN_BITS 0.97f

/* The probability of a sign, in 2^-16, below which it is taken to cost no more: other contexts may be right. */
#define SURE 1024

/* From here on the bits of neighbouring magnitudes cost about the same. */
#define EQUAL_BITS 12

/* Sizes below it become zero, and none from here on does. */
#define WORTHLESS 0.4f
#define FARTHER 4

/* Where a network expects so much, in 1/256 steps, a score is not quiet. */
#define TELLING 64

/* Room for the search: what is expected in each chunk of a row, and of each block, for each state, the index
 * that leads to it and the state before, as 8 index + state. */
typedef struct {
  Expectation *expected;
  int32_t *paths;
} Trellis;

/* One component while it is coded. */
typedef struct {
  const CodedScores *known;
  const Plan *plan;
  const Related *related;
  const LearnedScores *learned;
  int32_t *more; /* weights of the component's group */
  int64_t index;
  uint8_t *own;
  const int16_t *causals;
  const int16_t *own_sign;
  int64_t pitch;
  /* What a network expects of each score. */
  const int16_t *by_network;
} Work;

/* What is to be written. The paths are those of the search, if there is one. */
typedef struct {
  const float *scores;
  const int32_t *predicted;
  const int32_t *paths;
  int dependent;
} Wanted;

/* What is expected of a chunk's scores as far as it does not depend on the scores to their left. */
typedef struct {
  /* By the scores above, in 1/512 steps, and by a network, in 1/256. */
  int32_t causal[CHUNK];
  int16_t network[CHUNK];
  /* The level where a score is quiet if the one to its left is zero; else at least QUIET. */
  uint8_t quiet[CHUNK];
} ChunkContext;

/* The costs of the best known ways to all states, and the score to the left of each, in half steps. */
typedef struct {
  float costs[STATES];
  int left[STATES];
} Ways;

/* What magnitudes cost: 0, one less than the nearest, and the nearest. */
typedef struct {
  float zero, below, nearest;
} Prices;

ALWAYS_INLINE Work work_of(const Slice *slice, const CodedScores *known, const Related *related, int64_t index,
                           const int16_t *by_network) {
  const Plan *plan = &slice->plan;
  return (Work){.known = known,
                .plan = plan,
                .related = related,
                .learned = &slice->learned,
                .more = slice->learned.mixer.more + related->group * AROUND * UNARY * SCORES_PLACES,
                .index = index,
                .own = known->scores + place_of_plane(known, index),
                .causals = plan->causal + 4 * index,
                .own_sign = plan->own_sign + 2 * index,
                .pitch = pitch_of(known),
                .by_network = by_network};
}

ALWAYS_INLINE int64_t largest_index(int wide) { return wide ? SCORES_LARGEST : INT16_MAX / 2; }

/* What is left to be written of a score, in steps. */
ALWAYS_INLINE float rest_of(const Wanted *wanted, int64_t number) {
  return wanted->scores[number] - (float)wanted->predicted[number] / 256.0f;
}

/* The index that was chosen for a score, or else the nearest, which is still to be judged. */
ALWAYS_INLINE int64_t target_of(const Wanted *wanted, int64_t number, int64_t column, int64_t largest,
                                float *size, int *negative) {
  float rest = rest_of(wanted, number);
  *negative = rest < 0;
  /* Far above the largest; every whole number up to here is a float. */
  *size = rest < 0 ? -rest : rest;
  *size = *size < 16777216.0f ? *size : 16777216.0f;
  return wanted->paths ? wanted->paths[column * STATES] : least((int64_t)(*size + 0.5f), largest);
}

/* The model of a score of which little is expected, or NULL. */
ALWAYS_INLINE uint32_t *quiet_model(const Work *work, const ChunkContext *ahead, int column, int left, int quantizer) {
  int level = ahead->quiet[column];
  return left == 0 && level < QUIET ? work->learned->quiet + quantizer * QUIET + level : NULL;
}

/* Such a model after another zero. Most have seen so many that their rate stays the same: worth asking, as the next
 * score often waits for the same model. */
ALWAYS_INLINE uint32_t still_quiet(uint32_t word, const int32_t *rates) {
  if (UNLIKELY((word & 1023) != QUIET_LIMIT)) return taught(word, 0, rates, QUIET_LIMIT);
  int64_t change = (-(int64_t)(word >> 10) * rates[QUIET_LIMIT]) >> 16;
  return word + ((uint32_t)change << 10);
}

/* Codes whether a quiet score is other than zero. */
ALWAYS_INLINE int code_quiet(Coder *coder, uint32_t *model, int64_t target, float size, const Wanted *wanted,
                             int reading) {
  int64_t chance = chance_of(*model, 2);
  int bit = 0;
  if (!reading) bit = wanted->paths ? target > 0 : alive(coder, size, chance);
  bit = code(coder, chance, bit, reading);
  *model = bit ? taught(*model, 1, coder->scales.rates, QUIET_LIMIT) : still_quiet(*model, coder->scales.rates);
  return bit;
}

/* Codes quiet zeros from a column on, most of which are many in a row; returns the column of the first score that is
 * not quiet, or may be other than zero. */
ALWAYS_INLINE int skip_quiet(Coder *coder, const Work *work, const ChunkContext *ahead, const Wanted *wanted,
                             int64_t number, int64_t first, int column, int count, const uint8_t (*next)[2],
                             int *machine, int reading) {
  uint64_t range = coder->range.range;
  int state = *machine, negative = 0;
  float size = 0;
  for (; column < count && ahead->quiet[column] < QUIET; column++) {
    uint32_t *model = work->learned->quiet + (state & 1) * QUIET + ahead->quiet[column];
    uint64_t share = (range >> 16) * (uint64_t)most(*model >> 16, 2), rest = range - share;
    if (*model >= QUIET_BELOW || (reading && coder->range.low >= rest) || rest < RANGE_TOP) break;
    if (!reading && target_of(wanted, number + column, first + column, 1, &size, &negative) > 0) break;
    *model = still_quiet(*model, coder->scales.rates);
    state = next[state][0];
    range = rest;
  }
  coder->range.range = range;
  *machine = state;
  return column;
}

/* What is expected of a score, but for its sign, as far as the score to the left does not matter. */
ALWAYS_INLINE ScoreContext context_of(const Work *work, const Expectation *expected, const ChunkContext *ahead,
                                      int column) {
  const int8_t *bins = work->plan->bins;
  ScoreContext context;
  context.busy = expected->busy[column];
  context.causal = ahead->causal[column];
  context.size = expected->size[column] >> 1;
  context.own = expected->own[column] >> 1;
  context.own_bin = bin_of(bins, context.own);
  context.around_bin = bin_of(bins, context.size - context.own);
  context.network = ahead->network[column];
  context.network_bin = bin_of(bins, context.network < 0 ? -context.network : context.network);
  return context;
}

/* The same by the score to the left, too. */
ALWAYS_INLINE ScoreContext with_left(const Work *work, const ScoreContext *around, int left) {
  const int8_t *bins = work->plan->bins;
  ScoreContext context = *around;
  context.busy += 2 * ((left + 1) >> 1);
  context.causal = (context.causal + left * work->causals[1]) >> 1;
  context.causal_bin = bin_of(bins, context.causal);
  context.bin = bin_of(bins, context.size + context.causal);
  return context;
}

ALWAYS_INLINE Sets sets_of(const Work *work, const ScoreContext *context, int quantizer) {
  int beside = beside_of(context->busy);
  return (Sets){work->learned->mixer.weights + (quantizer * BINS + context->bin) * UNARY * SCORES_PLACES,
                work->more + beside * UNARY * SCORES_PLACES};
}

/* What a sign is taken to cost, by what a network tells. */
ALWAYS_INLINE float sign_bits(const Coder *coder, const Work *work, const ScoreContext *context, int magnitude,
                              int negative) {
  const Model *model = work->learned->sign_models + network_sign(context, magnitude, 0);
  int64_t chance = chance_of(model->word, SURE);
  return coder->bits[negative == (context->network < 0) ? ONE - chance : chance];
}

/* Takes all ways on by a zero, if nothing else is possible, which is most often so: a permutation of states. */
ALWAYS_INLINE int pass_quietly(const Coder *coder, const Work *work, int level, float size, Ways *ways,
                               int32_t *path) {
  static const uint8_t FROM[STATES] = {0, 4, 5, 1, 6, 2, 3, 7};
  if (level >= QUIET) return 0;
  float price = (float)coder->price, prices[2], costs[STATES];
  for (int q = 0; q < 2; q++) {
    uint32_t model = work->learned->quiet[q * QUIET + level];
    if (model >= QUIET_BELOW) return 0;
    prices[q] = price * coder->bits[ONE - chance_of(model, 2)];
  }
  for (int s = 0; s < STATES; s++) {
    costs[s] = ways->costs[FROM[s]] + size * size + prices[FROM[s] & 1];
    path[s] = FROM[s];
  }
  memcpy(ways->costs, costs, sizeof costs);
  return 1;
}

#define NAME(x) x##_narrow
#define TARGET
#include "scores_tpl.h"

#if defined(PCAI_WIDE)
#include "mixing_wide.h"

#define NAME(x) x##_wide
#define TARGET WIDE
#include "scores_tpl.h"
#endif

_Static_assert(sizeof(Expectation) == EXPECTATION_BYTES, "callers hand in room for so many");

int code_mixed(RangeCoder *coder, const Mixer *mixer, const Scales *scales, const Mixed *mixed, int number, int bit,
               int reading) {
  return BY_WIDTH(code_mixed, coder, mixer, scales, mixed, number, bit, reading);
}

void code_scores(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                 const int32_t *predicted, void *plane, int wide, const Search *search, const int16_t *by_network,
                 int dependent, double price, int reading) {
  const Trellis trellis = {reading ? NULL : (Expectation *)(void *)search->expected, reading ? NULL : search->paths};
  const Wanted all = {wanted, predicted, dependent ? trellis.paths : NULL, dependent};
  if (reading) {
    BY_WIDTH(read, slice, state, index, &all, plane, wide, by_network);
  } else {
    BY_WIDTH(write, slice, state, index, &all, plane, wide, &trellis, by_network, price);
  }
}
