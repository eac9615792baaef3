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
#include "scores.h"

#define STATES 8
#define IMPOSSIBLE 1e30f

/* The bits that a sign is taken to cost where paths are compared. */
#define SIGN_BITS 0.97f

/* The probability of a sign, in 2^-16, below which it is taken to cost no more: other contexts may know better. */
#define SURE 1024

/* From here on the bits of neighbouring magnitudes cost about the same. */
#define EQUAL_BITS 12

/* Ways are given up that are worse than the best by so many squared steps: hardly any of them would win. */
#define HOPELESS 1.0f

/* Sizes below it become zero. */
#define WORTHLESS 0.4f

/* Where a network expects so much, in 1/256 steps, a score is not quiet. */
#define TELLING 64

/* The next state, by the parity of the index; odd states have the second quantiser. */
static const uint8_t NEXT[STATES][2] = {{0, 1}, {3, 2}, {5, 4}, {6, 7}, {1, 0}, {2, 3}, {4, 5}, {7, 6}};

/* Without dependence: the first quantiser alone. */
static const uint8_t ALONE[STATES][2] = {{0, 0}};

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
  const Family *kin;
  const Learned *learned;
  const uint8_t *own;
  uint32_t *quiet;
  const int16_t *causals;
  int64_t pitch;
  /* What a network expects of each score, if `told`. */
  const int16_t *expected_by_network;
  int told;
} Work;

/* The best known way to a state. */
typedef struct {
  float cost;
  /* The score to the left, in half steps. */
  int left;
} Way;

/* The bits of magnitudes: of 0, of one less than the nearest, and of the nearest. */
typedef struct {
  int key;
  float zero;
  float below;
  float nearest;
} Prices;

/* What is expected of a score, but for its sign and what its own block expects. */
ALWAYS_INLINE Hopes hopes_of(const Work *work, const Expectation *expected, int64_t place, int64_t number,
                             int column, int left) {
  const uint8_t *here = work->own + place;
  Hopes hopes;
  hopes.busy = expected->busy[column] + 2 * ((left + 1) >> 1);
  int causal = (here[-work->pitch] & MAGNITUDE) * work->causals[0] + left * work->causals[1] +
               (here[-work->pitch - 1] & MAGNITUDE) * work->causals[2] +
               (here[-work->pitch + 1] & MAGNITUDE) * work->causals[3];
  hopes.causal = causal >> 1;
  hopes.size = expected->size[column] >> 1;
  hopes.bin = bin_of(work->plan->bins, hopes.size + hopes.causal);
  hopes.told = work->told ? work->expected_by_network[number] : 0;
  return hopes;
}

/* Adds what only scores that are not quiet need: the bins of what its own block and a network expect. */
ALWAYS_INLINE void expect_closely(const Work *work, const Expectation *expected, int column, Hopes *hopes) {
  hopes->own = expected->own[column] >> 1;
  hopes->own_bin = bin_of(work->plan->bins, hopes->own);
  hopes->told_bin = bin_of(work->plan->bins, hopes->told < 0 ? -hopes->told : hopes->told);
}

ALWAYS_INLINE int is_quiet(const Hopes *hopes) {
  return hopes->bin < QUIET && hopes->busy == 0 && hopes->told < TELLING && hopes->told > -TELLING;
}

ALWAYS_INLINE Sets sets_of(const Work *work, const Hopes *hopes, int quantizer) {
  const Learned *learned = work->learned;
  int beside = beside_of(hopes->busy);
  int inputs = DEPENDENT_INPUTS + work->told;
  return (Sets){learned->mixer.weights + (quantizer * BINS + hopes->bin) * UNARY * inputs,
                learned->mixer.more + (work->kin->group * AROUND + beside) * UNARY * inputs,
                learned->by_component + (quantizer * 189 + work->kin->place) * 3 * KNOTS,
                learned->by_place + (beside * 20 + (hopes->own_bin >> 1)) * 3 * KNOTS};
}

/* What a sign is taken to cost: about a bit, unless a network tells. */
ALWAYS_INLINE float sign_bits(const Coder *coder, const Work *work, const Hopes *hopes, int magnitude,
                              int negative) {
  if (!work->told) return SIGN_BITS;
  const Model *models = (const Model *)(const void *)work->learned->signs.models;
  int64_t chance = chance_of(models[told_sign(hopes, magnitude, 0)].word, SURE);
  return coder->bits[negative == (hopes->told < 0) ? ONE - chance : chance];
}

/* What the magnitudes that are looked at cost. */
ALWAYS_INLINE Prices prices_of(const Coder *coder, const Work *work, const Expectation *expected,
                               const Kinship *kinship, int64_t place, int64_t number, int column, float size,
                               int negative, int left, int quantizer) {
  Prices prices = {2 * left + quantizer, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE};
  Hopes hopes = hopes_of(work, expected, place, number, column, left);
  int start = 0;
  float spent = 0;
  if (is_quiet(&hopes)) {
    int64_t chance = chance_of(work->quiet[quantizer * QUIET + hopes.bin], 2);
    prices.zero = coder->bits[ONE - chance];
    spent = coder->bits[chance];
    start = 1;
    if (size < WORTHLESS) return prices;
  }
  int nearest = (int)(size + 0.5f + 0.5f * (float)quantizer);
  if (nearest >= EQUAL_BITS) {
    prices.below = prices.nearest = 0;
    return prices;
  }
  Model *contexts[TOLD_INPUTS];
  expect_closely(work, expected, column, &hopes);
  dependent_contexts(work->kin, kinship, work->plan->bins, column, &hopes, quantizer, work->told,
                     (Model *)work->learned->mixer.models, contexts);
  Sets sets = sets_of(work, &hopes, quantizer);
  for (int bit = start; bit <= nearest; bit++) {
    Mix found;
    mix(&sets, contexts, bit, DEPENDENT_INPUTS + work->told, &found);
    int64_t chance = chance_in(coder, &sets, bit, found.logit);
    float ended = spent + coder->bits[ONE - chance];
    if (bit == 0) prices.zero = ended;
    if (bit > 0 && bit == nearest - 1) prices.below = ended + sign_bits(coder, work, &hopes, bit, negative);
    if (bit > 0 && bit == nearest) prices.nearest = ended + sign_bits(coder, work, &hopes, bit, negative);
    spent += coder->bits[chance];
  }
  return prices;
}

ALWAYS_INLINE void go(Way *ways, int32_t *path, int from, int index, int quantizer, float cost) {
  int to = NEXT[from][index & 1];
  if (cost >= ways[to].cost) return;
  int left = index > 0 ? 2 * index - quantizer : 0;
  ways[to] = (Way){cost, capped(left, LOUDEST_HALVES)};
  path[to] = 8 * index + from;
}

/* Takes all ways on by a zero, if nothing else is possible, which is most often so: a permutation of states. */
ALWAYS_INLINE int pass_quietly(const Coder *coder, const Work *work, const Expectation *expected, int64_t place,
                               int64_t number, int column, float size, Way *ways, int32_t *path) {
  Hopes hopes = hopes_of(work, expected, place, number, column, 0);
  if (!is_quiet(&hopes)) return 0;
  Way after[STATES];
  float price = (float)coder->price, bits[2];
  for (int q = 0; q < 2; q++) bits[q] = coder->bits[ONE - chance_of(work->quiet[q * QUIET + hopes.bin], 2)];
  for (int s = 0; s < STATES; s++) {
    int to = NEXT[s][0];
    after[to] = (Way){ways[s].cost + size * size + price * bits[s & 1], 0};
    path[to] = s;
  }
  memcpy(ways, after, sizeof after);
  return 1;
}

/* Finds the cheapest indices of a row, which are left in each block's first path. */
ALWAYS_INLINE void search(const Coder *coder, const Work *work, const Trellis *trellis, int64_t row,
                          const float *wanted, const int32_t *predicted, int64_t largest, int state) {
  const CodedScores *known = work->known;
  Way ways[STATES], after[STATES];
  Kinship kinship;
  float price = (float)coder->price;
  /* 1 if the score to the left may be other than zero. */
  int loud = 0;
  for (int s = 0; s < STATES; s++) ways[s] = (Way){s == state ? 0.0f : IMPOSSIBLE, 0};
  for (int64_t chunk = 0; chunk * CHUNK < known->columns; chunk++) {
    int64_t start_place = row * work->pitch + chunk * CHUNK;
    int count = (int)least(known->columns - chunk * CHUNK, CHUNK);
    const Expectation *expected = trellis->expected + chunk;
    find_kinship(work->kin, start_place, work->pitch, 1, &kinship);
    for (int column = 0; column < count; column++) {
      int64_t x = chunk * CHUNK + column, number = row * known->columns + x;
      float rest = wanted[number] - (float)predicted[number] / 256.0f;
      float size = rest < 0 ? -rest : rest;
      size = size < (float)largest ? size : (float)largest;
      int32_t *path = trellis->paths + x * STATES;
      if (size < WORTHLESS && !loud && pass_quietly(coder, work, expected, start_place + column, number,
                                                    column, size, ways, path)) {
        continue;
      }
      Prices known_prices[STATES];
      int n_prices = 0;
      float limit = IMPOSSIBLE;
      for (int s = 0; s < STATES; s++) limit = ways[s].cost < limit ? ways[s].cost : limit;
      limit += HOPELESS;
      for (int s = 0; s < STATES; s++) after[s] = (Way){IMPOSSIBLE, 0};
      for (int s = 0; s < STATES; s++) {
        if (ways[s].cost >= limit) continue;
        int quantizer = s & 1, left = ways[s].left, key = 2 * left + quantizer, at = 0;
        while (at < n_prices && known_prices[at].key != key) at++;
        if (at == n_prices) {
          known_prices[n_prices++] = prices_of(coder, work, expected, &kinship, start_place + column, number,
                                               column, size, rest < 0, left, quantizer);
        }
        const Prices *prices = known_prices + at;
        float middle = 0.5f * (float)quantizer, cost = ways[s].cost;
        int nearest = (int)least((int64_t)(size + 0.5f + middle), largest);
        if (prices->zero < IMPOSSIBLE && nearest <= 3) {
          go(after, path, s, 0, quantizer, cost + size * size + price * prices->zero);
        }
        for (int index = nearest > 1 ? nearest - 1 : 1; index <= nearest; index++) {
          float bits = index == nearest ? prices->nearest : prices->below;
          if (bits >= IMPOSSIBLE) continue;
          float off = size - ((float)index - middle);
          go(after, path, s, index, quantizer, cost + off * off + price * bits);
        }
      }
      memcpy(ways, after, sizeof ways);
      loud = 0;
      for (int s = 0; s < STATES; s++) loud |= ways[s].left;
    }
  }
  int best = 0;
  for (int s = 1; s < STATES; s++) best = ways[s].cost < ways[best].cost ? s : best;
  for (int64_t x = known->columns - 1; x >= 0; x--) {
    int32_t *path = trellis->paths + x * STATES, step = path[best];
    path[0] = step >> 3;
    best = step & 7;
  }
}

/* The same, compiled apart from coding, with and without networks. */
static __attribute__((noinline)) void search_alone(const Coder *coder, const Work *given, const Trellis *trellis,
                                                   int64_t row, const float *wanted, const int32_t *predicted,
                                                   int64_t largest, int state) {
  Work work = *given;
  work.told = 0;
  search(coder, &work, trellis, row, wanted, predicted, largest, state);
}

static __attribute__((noinline)) void search_told(const Coder *coder, const Work *given, const Trellis *trellis,
                                                  int64_t row, const float *wanted, const int32_t *predicted,
                                                  int64_t largest, int state) {
  Work work = *given;
  work.told = 1;
  search(coder, &work, trellis, row, wanted, predicted, largest, state);
}

/* Codes one component of a slice, or decodes it. */
ALWAYS_INLINE void code_dependent(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                                  const int32_t *predicted, void *plane, int wide, const Trellis *trellis,
                                  const int16_t *told, int dependent, double price, int reading) {
  const Plan *plan = &slice->plan;
  const Learned *learned = &slice->learned;
  const CodedScores known = slice->known;
  Coder coder = {slice, slice->scales, learned->mixer, *state, plan->bins, slice->bits, price};
  const Mixer signs = learned->signs;
  const Family kin = family_of(slice, index);
  const uint8_t *own_scores = known.scores + plane_of(&known, index);
  const int16_t *own_sign = plan->own_sign + 2 * index;
  int64_t pitch = pitch_of(&known), largest = wide ? LARGEST : INT16_MAX / 2;
  const Work work = {&known, plan, &kin, learned, own_scores, learned->quiet + kin.place * 2 * QUIET,
                     plan->causal + 4 * index, pitch, told, told != 0};
  Expectation here_expected;
  Kinship kinship;
  Mix mixes[UNARY];
  Model *models = (Model *)learned->mixer.models, *sign_first = (Model *)signs.models;
  Model *contexts[TOLD_INPUTS], *sign_models[TOLD_SIGN_INPUTS];
  const int inputs = DEPENDENT_INPUTS + work.told, sign_inputs = SIGN_INPUTS + work.told;
  const uint8_t (*next)[2] = dependent ? NEXT : ALONE;
  int machine = 0, searched = dependent && !reading;
  for (int64_t row = 0; row < known.rows; row++) {
    if (searched) {
      for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
        expect_chunk(slice, index, row, chunk, 1, trellis->expected + chunk);
      }
      (work.told ? search_told : search_alone)(&coder, &work, trellis, row, wanted, predicted, largest, machine);
    }
    for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
      int64_t start_place = row * pitch + chunk * CHUNK;
      int count = (int)least(known.columns - chunk * CHUNK, CHUNK), related = 0;
      const Expectation *expected = searched ? trellis->expected + chunk : &here_expected;
      if (!searched) expect_chunk(slice, index, row, chunk, 1, &here_expected);
      for (int column = 0; column < count; column++) {
        int64_t place = start_place + column, x = chunk * CHUNK + column, number = row * known.columns + x;
        int quantizer = machine & 1, negative = 0, start = 0, ready = 0;
        int64_t target = 0;
        float size = 0;
        if (!reading) {
          float rest = wanted[number] - (float)predicted[number] / 256.0f;
          negative = rest < 0;
          /* Far above the largest; every whole number up to here is a float. */
          size = negative ? -rest : rest;
          size = size < 16777216.0f ? size : 16777216.0f;
          target = searched ? trellis->paths[x * STATES] : least((int64_t)(size + 0.5f), largest);
        }
        const uint8_t *here = own_scores + place;
        Hopes hopes = hopes_of(&work, expected, place, number, column, here[-1] & MAGNITUDE);
        if (is_quiet(&hopes)) {
          uint32_t *model = work.quiet + quantizer * QUIET + hopes.bin;
          int64_t chance = chance_of(*model, 2);
          if (!reading && !searched) target = alive(&coder, size, chance) ? most(target, 1) : 0;
          start = code(&coder, chance, target > 0, reading);
          *model = taught(*model, start, coder.scales.rates, QUIET_LIMIT);
          if (!start) {
            machine = next[machine][0];
            continue;
          }
        }
        if (!related) find_kinship(&kin, start_place, pitch, 1, &kinship);
        related = 1;
        expect_closely(&work, expected, column, &hopes);
        dependent_contexts(&kin, &kinship, plan->bins, column, &hopes, quantizer, work.told, models, contexts);
        Sets sets = sets_of(&work, &hopes, quantizer);
        if (!reading && !searched && target > start) {
          target = most(best(&coder, size, start, SIGN_BITS, &sets, contexts, inputs, 0, mixes, &ready),
                        start);
        }
        int64_t found = magnitude(&coder, start, target, kin.channel, &sets, contexts, inputs, mixes,
                                  ready, reading);
        found = least(found, largest);
        machine = next[machine][found & 1];
        if (found == 0) continue;
        int value = (int16_t)(expected->value[column] + signed_of(here[-1]) * own_sign[0] +
                              signed_of(here[-pitch]) * own_sign[1]);
        hopes.value = (int)within((value >> 1) + hopes.told, -INT16_MAX, INT16_MAX);
        hopes.value_bin = bin_of(plan->bins, hopes.value < 0 ? -hopes.value : hopes.value);
        int turned = hopes.value < 0;
        int sign_set = sign_contexts(&kin, own_scores, place, pitch, &hopes, (int)found, work.told, sign_first,
                                     sign_models);
        int bit = code_sign(&coder, &signs, sign_models, sign_set, sign_inputs, negative ^ turned, reading);
        int64_t half = 2 * found - quantizer, score = bit ^ turned ? -half : half;
        put_score(plane, wide, number, score);
        remember(&known, index, row, x, score, LOUDEST_HALVES);
      }
    }
  }
  *state = coder.range;
}

/* Compiled once for writing and once for reading, with and without networks: for either width it would take twice as
 * long, and not be faster, as all that depends on it is how a score is put. */
static __attribute__((noinline)) void write_dependent(const Slice *slice, RangeCoder *state, int64_t index,
                                                      const float *wanted, const int32_t *predicted,
                                                      void *plane, int wide, const Trellis *trellis,
                                                      int dependent, double price) {
  code_dependent(slice, state, index, wanted, predicted, plane, wide, trellis, 0, dependent, price, 0);
}

static __attribute__((noinline)) void read_dependent(const Slice *slice, RangeCoder *state, int64_t index,
                                                     const int32_t *predicted, void *plane, int wide,
                                                     const Trellis *trellis, int dependent) {
  code_dependent(slice, state, index, 0, predicted, plane, wide, trellis, 0, dependent, 0, 1);
}

static __attribute__((noinline)) void write_told(const Slice *slice, RangeCoder *state, int64_t index,
                                                 const float *wanted, const int32_t *predicted, void *plane,
                                                 int wide, const Trellis *trellis, const int16_t *told,
                                                 int dependent, double price) {
  if (!told) __builtin_unreachable();
  code_dependent(slice, state, index, wanted, predicted, plane, wide, trellis, told, dependent, price, 0);
}

static __attribute__((noinline)) void read_told(const Slice *slice, RangeCoder *state, int64_t index,
                                                const int32_t *predicted, void *plane, int wide,
                                                const Trellis *trellis, const int16_t *told, int dependent) {
  if (!told) __builtin_unreachable();
  code_dependent(slice, state, index, 0, predicted, plane, wide, trellis, told, dependent, 0, 1);
}

ALWAYS_INLINE void code_any(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                            const int32_t *predicted, void *plane, int wide, const Trellis *trellis,
                            const int16_t *told, int dependent, double price, int reading) {
  if (told && reading) {
    read_told(slice, state, index, predicted, plane, wide, trellis, told, dependent);
  } else if (told) {
    write_told(slice, state, index, wanted, predicted, plane, wide, trellis, told, dependent, price);
  } else if (reading) {
    read_dependent(slice, state, index, predicted, plane, wide, trellis, dependent);
  } else {
    write_dependent(slice, state, index, wanted, predicted, plane, wide, trellis, dependent, price);
  }
}

/* The component is counted without the constant ones. What is wanted, less what is predicted in 1/256, is in
 * units of the step; the plane takes half steps. The price is the squared error, in squared steps, that a bit is
 * worth. The trellis is used on writing alone. Where scores are not dependent, all have the first quantiser, and
 * each is chosen by itself. If `telling`, there is what a network expects of each score, in 1/256. */
API void pcai_code_dependent_16(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                                const int32_t *predicted, int16_t *plane, uint8_t *expected, int32_t *paths,
                                const int16_t *told, int64_t telling, int64_t dependent, double price,
                                int64_t reading) {
  const Trellis trellis = {(Expectation *)(void *)expected, paths};
  code_any(slice, state, index, wanted, predicted, plane, 0, &trellis, telling ? told : 0, (int)dependent, price,
           (int)reading);
}

API void pcai_code_dependent_32(const Slice *slice, RangeCoder *state, int64_t index, const float *wanted,
                                const int32_t *predicted, int32_t *plane, uint8_t *expected, int32_t *paths,
                                const int16_t *told, int64_t telling, int64_t dependent, double price,
                                int64_t reading) {
  const Trellis trellis = {(Expectation *)(void *)expected, paths};
  code_any(slice, state, index, wanted, predicted, plane, 1, &trellis, telling ? told : 0, (int)dependent, price,
           (int)reading);
}
