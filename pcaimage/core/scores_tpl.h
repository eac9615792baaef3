/* Coding the scores of a component with dependent quantisation, for processors of one kind: scores.c
 * includes this for each. TARGET is for whom functions are compiled, and NAME(x) is a name for it. */

/* Finds what is expected of a chunk before its scores are known. */
TARGET APART void NAME(find_chunk_context)(const Work *work, const Expectation *expected, int64_t row, int64_t chunk,
                                            ChunkContext *ahead) {
  const int64_t columns = work->known->columns, first = chunk * CHUNK;
  const uint8_t *above = work->own + (row - 1) * work->pitch + first;
  const int straight = work->causals[0], before = work->causals[2], behind = work->causals[3];
  for (int i = 0; i < CHUNK; i++) {
    ahead->causal[i] = (above[i] & MAGNITUDE) * straight + (above[i - 1] & MAGNITUDE) * before +
                         (above[i + 1] & MAGNITUDE) * behind;
  }
  const int16_t *network = work->by_network + row * columns + first;
  if (columns - first < CHUNK) memset(ahead->network, 0, sizeof ahead->network);
  memcpy(ahead->network, network, (size_t)least(columns - first, CHUNK) * sizeof *network);
  /* Numbers of one size at a time, so that compilers make vectors of them. */
  int32_t levels[CHUNK];
  for (int i = 0; i < CHUNK; i++) {
    int32_t level = ((expected->size[i] >> 1) + (ahead->causal[i] >> 1)) >> 3;
    level = level < QUIET ? level : QUIET;
    levels[i] = level > 0 ? level : 0;
  }
  for (int i = 0; i < CHUNK; i++) {
    int32_t telling = (ahead->network[i] >= TELLING) | (ahead->network[i] <= -TELLING) | (expected->busy[i] != 0);
    ahead->quiet[i] = (uint8_t)(levels[i] | telling * QUIET);
  }
}

/* What the magnitudes that are looked at cost. */
TARGET ALWAYS_INLINE Prices NAME(prices_of)(const Coder *coder, const Work *work, const Expectation *expected,
                                            const ChunkContext *ahead, const Neighbours *neighbours, int column,
                                            float size, int negative, int left, int quantizer) {
  Prices prices = {2 * left + quantizer, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE};
  int start = 0;
  float spent = 0;
  const uint32_t *quiet = quiet_model(work, ahead, column, left, quantizer);
  if (quiet && *quiet < QUIET_BELOW) {
    int64_t chance = chance_of(*quiet, 2);
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
  Model *contexts[SCORES_INPUTS];
  ScoreContext context = context_of(work, expected, ahead, column, left);
  size_contexts(work->related, neighbours, work->plan->bins, column, &context, quantizer,
                     work->learned->models, contexts);
  Sets sets = sets_of(work, &context, quantizer);
  for (int bit = start; bit <= nearest; bit++) {
    NAME(Seen) seen;
    int32_t logit = NAME(look)(contexts, bit, SCORES_INPUTS, sets.weights + bit * SCORES_PLACES,
                               sets.more + bit * SCORES_PLACES, &seen);
    int64_t chance = chance_in(coder, logit);
    float ended = spent + coder->bits[ONE - chance];
    if (bit == 0) prices.zero = ended;
    if (bit > 0 && bit == nearest - 1) prices.below = ended + sign_bits(coder, work, &context, bit, negative);
    if (bit > 0 && bit == nearest) prices.nearest = ended + sign_bits(coder, work, &context, bit, negative);
    spent += coder->bits[chance];
  }
  return prices;
}

/* Finds the cheapest indices of a row, which are left in each block's first path. */
TARGET APART void NAME(search)(const Coder *coder, const Work *work, const Trellis *trellis, int64_t row,
                               const Wanted *wanted, int64_t largest, int state) {
  const CodedScores *known = work->known;
  Way ways[STATES], after[STATES];
  Neighbours neighbours;
  float price = (float)coder->price;
  /* 1 if the score to the left may be other than zero. */
  int loud = 0;
  for (int s = 0; s < STATES; s++) ways[s] = (Way){s == state ? 0.0f : IMPOSSIBLE, 0};
  for (int64_t chunk = 0; chunk * CHUNK < known->columns; chunk++) {
    int64_t start_place = row * work->pitch + chunk * CHUNK;
    int count = (int)least(known->columns - chunk * CHUNK, CHUNK);
    const Expectation *expected = trellis->expected + chunk;
    ChunkContext ahead;
    find_neighbours(work->related, start_place, work->pitch, &neighbours);
    NAME(find_chunk_context)(work, expected, row, chunk, &ahead);
    for (int column = 0; column < count; column++) {
      int64_t x = chunk * CHUNK + column, number = row * known->columns + x;
      float rest = rest_of(wanted, number);
      float size = rest < 0 ? -rest : rest;
      size = size < (float)largest ? size : (float)largest;
      int32_t *path = trellis->paths + x * STATES;
      if (size < WORTHLESS && !loud && pass_quietly(coder, work, ahead.quiet[column], size, ways, path)) {
        continue;
      }
      Prices known_prices[STATES];
      int n_prices = 0;
      float limit = IMPOSSIBLE;
      for (int s = 0; s < STATES; s++) limit = ways[s].cost < limit ? ways[s].cost : limit;
      limit += GIVEN_UP;
      for (int s = 0; s < STATES; s++) after[s] = (Way){IMPOSSIBLE, 0};
      for (int s = 0; s < STATES; s++) {
        if (ways[s].cost >= limit) continue;
        int quantizer = s & 1, left = ways[s].left, key = 2 * left + quantizer, at = 0;
        while (at < n_prices && known_prices[at].key != key) at++;
        if (at == n_prices) {
          known_prices[n_prices++] = NAME(prices_of)(coder, work, expected, &ahead, &neighbours, column, size,
                                                     rest < 0, left, quantizer);
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

/* Codes a magnitude that is known to be at least `start`. */
TARGET ALWAYS_INLINE int64_t NAME(magnitude)(Coder *coder, const Work *work, int start, int64_t wanted,
                                             const Sets *sets, Model *const *contexts, int reading) {
  for (int found = start; found < UNARY; found++) {
    NAME(Seen) seen;
    int32_t *weights = sets->weights + found * SCORES_PLACES, *more = sets->more + found * SCORES_PLACES;
    int32_t logit = NAME(look)(contexts, found, SCORES_INPUTS, weights, more, &seen);
    /* What is learned does not wait for the bit where the processor foresees it. */
    if (!code(coder, chance_in(coder, logit), wanted > found, reading)) {
      NAME(learn)(&coder->mixer, &coder->scales, contexts, found, SCORES_INPUTS, weights, more, &seen, 0);
      return found;
    }
    NAME(learn)(&coder->mixer, &coder->scales, contexts, found, SCORES_INPUTS, weights, more, &seen, 1);
  }
  return large_magnitude(coder, wanted, work->related->channel, reading);
}

/* Codes whether a score that is not zero is negative. */
TARGET ALWAYS_INLINE int NAME(code_sign)(Coder *coder, const Work *work, const int16_t *values, int64_t place,
                                         int column, ScoreContext *context, int magnitude,
                                         int negative, int reading) {
  const Mixer *signs = &work->learned->signs;
  const uint8_t *here = work->own + place;
  int value = (int16_t)(values[column] + signed_of(here[-1]) * work->own_sign[0] +
                        signed_of(here[-work->pitch]) * work->own_sign[1]);
  context->value = (int)within((value >> 1) + context->network, -INT16_MAX, INT16_MAX);
  context->value_bin = bin_of(work->plan->bins, context->value < 0 ? -context->value : context->value);
  int turned = context->value < 0;
  Model *contexts[SIGN_INPUTS];
  int set = sign_contexts(work->related, work->own, place, work->pitch, context, magnitude,
                          work->learned->sign_models, contexts);
  int32_t *weights = signs->weights + set * SCORES_PLACES, *more = signs->more;
  NAME(Seen) seen;
  int32_t logit = NAME(look)(contexts, 0, SIGN_INPUTS, weights, more, &seen);
  int bit = code(coder, chance_in(coder, logit), negative ^ turned, reading);
  if (bit) {
    NAME(learn)(signs, &coder->scales, contexts, 0, SIGN_INPUTS, weights, more, &seen, 1);
  } else {
    NAME(learn)(signs, &coder->scales, contexts, 0, SIGN_INPUTS, weights, more, &seen, 0);
  }
  return bit ^ turned;
}

/* Codes the index of a score that may be other than zero, or is known to be. `size` is for choosing it. */
TARGET ALWAYS_INLINE int64_t NAME(code_index)(Coder *coder, const Work *work, const Neighbours *neighbours,
                                              const ScoreContext *context, int column, int quantizer, int start,
                                              int64_t target, float size, const Wanted *wanted, int reading) {
  Model *contexts[SCORES_INPUTS];
  size_contexts(work->related, neighbours, work->plan->bins, column, context, quantizer,
                     work->learned->models, contexts);
  Sets sets = sets_of(work, context, quantizer);
  if (!reading && !wanted->paths && target > start) {
    target = most(best(coder, size, start, SIGN_BITS, &sets, contexts), start);
  }
  return NAME(magnitude)(coder, work, start, target, &sets, contexts, reading);
}

/* Codes a chunk of a row's blocks, from a state on; returns the next. */
TARGET ALWAYS_INLINE int NAME(code_chunk)(Coder *coder, const Work *work, const Expectation *expected,
                                          const ChunkContext *ahead, const Wanted *wanted, int64_t row,
                                          int64_t chunk, int machine, void *plane, int wide, int reading) {
  const CodedScores *known = work->known;
  const uint8_t (*next)[2] = NEXT[wanted->dependent];
  const int64_t first = chunk * CHUNK, place = row * work->pitch + first, number = row * known->columns + first;
  const int64_t largest = largest_index(wide);
  const int count = (int)least(known->columns - first, CHUNK);
  Neighbours neighbours;
  /* From the blocks above and to the left, and maybe from those below and to the right, with signs. */
  int16_t values[CHUNK];
  uint64_t others = 0;
  int found_neighbours = 0, left = work->own[place - 1] & MAGNITUDE;
  for (int column = 0; column < count; column++) {
    int quantizer = machine & 1, negative = 0, start = 0;
    int64_t target = 0;
    float size = 0;
    if (!reading) target = target_of(wanted, number + column, first + column, largest, &size, &negative);
    if (reading && left == 0) {
      column = skip_quiet(coder, work, ahead, column, count, next, &machine);
      if (column == count) break;
      quantizer = machine & 1;
    }
    uint32_t *quiet = quiet_model(work, ahead, column, left, quantizer);
    if (quiet && *quiet < QUIET_BELOW) {
      if (!code_quiet(coder, quiet, target, size, wanted, reading)) {
        machine = next[machine][0];
        continue;
      }
      target = most(target, 1);
      start = 1;
      quiet = NULL;
    }
    if (!found_neighbours) find_neighbours(work->related, place, work->pitch, &neighbours);
    found_neighbours = 1;
    ScoreContext context = context_of(work, expected, ahead, column, left);
    int64_t found = NAME(code_index)(coder, work, &neighbours, &context, column, quantizer, start, target, size,
                                     wanted, reading);
    if (quiet) *quiet = taught(*quiet, found > 0, coder->scales.rates, QUIET_LIMIT);
    found = least(found, largest);
    machine = next[machine][found & 1];
    left = 0;
    if (found == 0) continue;
    if (!others) NAME(expect_signs)(coder->slice, work->index, row, chunk, values);
    negative = NAME(code_sign)(coder, work, values, place + column, column, &context, (int)found, negative,
                               reading);
    int64_t half = 2 * found - quantizer, score = negative ? -half : half;
    put_score(plane, wide, number + column, score);
    left = (int)least(half, LOUDEST);
    work->own[place + column] = known_score(score, LOUDEST);
    others |= UINT64_C(1) << column;
  }
  remember(known, work->index, row, chunk, others);
  return machine;
}

/* Codes one component of a slice, or decodes it. */
TARGET ALWAYS_INLINE void NAME(code_component)(const Slice *slice, RangeCoder *state, int64_t index,
                                               const Wanted *wanted, void *plane, int wide,
                                               const Trellis *trellis, const int16_t *by_network,
                                               double price, int reading) {
  const LearnedScores *learned = &slice->learned;
  const CodedScores known = slice->known;
  Coder coder = {slice, slice->scales, learned->mixer, *state, slice->plan.bins, slice->bits, price};
  const Related related = related_of(slice, index);
  const Work work = work_of(slice, &known, &related, index, by_network);
  const int searched = !reading && wanted->paths;
  int machine = 0;
  for (int64_t row = 0; row < known.rows; row++) {
    if (searched) {
      for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
        NAME(expect_chunk)(slice, index, row, chunk, trellis->expected + chunk);
      }
      NAME(search)(&coder, &work, trellis, row, wanted, largest_index(wide), machine);
    }
    for (int64_t chunk = 0; chunk * CHUNK < known.columns; chunk++) {
      Expectation here;
      const Expectation *expected = searched ? trellis->expected + chunk : &here;
      ChunkContext ahead;
      if (!searched) NAME(expect_chunk)(slice, index, row, chunk, &here);
      NAME(find_chunk_context)(&work, expected, row, chunk, &ahead);
      machine = NAME(code_chunk)(&coder, &work, expected, &ahead, wanted, row, chunk, machine, plane, wide,
                                 reading);
    }
  }
  *state = coder.range;
}

/* Compiled once for writing and once for reading: for either width it would take twice as long, and not be
 * faster, as all that depends on it is how a score is put. */
TARGET APART void NAME(write)(const Slice *slice, RangeCoder *state, int64_t index, const Wanted *wanted,
                              void *plane, int wide, const Trellis *trellis, const int16_t *by_network,
                              double price) {
  NAME(code_component)(slice, state, index, wanted, plane, wide, trellis, by_network, price, 0);
}

TARGET APART void NAME(read)(const Slice *slice, RangeCoder *state, int64_t index, const Wanted *wanted,
                             void *plane, int wide, const int16_t *by_network) {
  NAME(code_component)(slice, state, index, wanted, plane, wide, 0, by_network, 0, 1);
}

TARGET static void NAME(code_any)(const Slice *slice, RangeCoder *state, int64_t index, const Wanted *wanted,
                                  void *plane, int wide, const Trellis *trellis, const int16_t *by_network,
                                  double price, int reading) {
  if (reading) {
    NAME(read)(slice, state, index, wanted, plane, wide, by_network);
  } else {
    NAME(write)(slice, state, index, wanted, plane, wide, trellis, by_network, price);
  }
}

TARGET APART int NAME(code_mixed)(RangeCoder *coder, const Mixer *mixer, const Scales *scales, const Mixed *mixed,
                                  int number, int bit, int reading) {
  int32_t *weights = mixed->weights + number * SCORES_PLACES, *more = mixed->more + number * SCORES_PLACES;
  NAME(Seen) seen;
  int32_t logit = NAME(look)(mixed->contexts, number, MEANS_INPUTS, weights, more, &seen);
  bit = range_code(coder, scales->probabilities[logit + LOGIT_LIMIT], bit, reading);
  NAME(learn)(mixer, scales, mixed->contexts, number, MEANS_INPUTS, weights, more, &seen, bit);
  return bit;
}

#undef NAME
#undef TARGET
