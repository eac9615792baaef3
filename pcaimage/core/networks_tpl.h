/* Layers of networks, for processors of one kind: networks.c includes this for each. TARGET is for whom
 * functions are compiled, NAME(x) is a name for it, and LANES are the blocks in a vector. */

/* Multiplies inputs by weights, for LANES blocks at once: inputs are (count, LANES) with an even count, weights
 * (units, count) with units in fours, sums (units, LANES). */
TARGET static void NAME(multiply)(const int16_t *inputs, int64_t count, const int16_t *weights, int64_t units,
                                  int32_t *sums) {
  NAME(Vector) pairs[MOST_UNITS];
  for (int64_t i = 0; i < count; i += 2) {
    NAME(pair)(inputs + i * LANES, inputs + (i + 1) * LANES, pairs + i, pairs + i + 1);
  }
  for (int64_t unit = 0; unit < units; unit += 4) {
    NAME(Vector) low[4], high[4];
    WRITTEN_OUT
    for (int j = 0; j < 4; j++) low[j] = high[j] = (NAME(Vector)){0};
    for (int64_t i = 0; i < count; i += 2) {
      WRITTEN_OUT
      for (int j = 0; j < 4; j++) {
        NAME(Vector) both = NAME(spread)(weights + (unit + j) * count + i);
        low[j] += NAME(products)(pairs[i], both);
        high[j] += NAME(products)(pairs[i + 1], both);
      }
    }
    WRITTEN_OUT
    for (int j = 0; j < 4; j++) NAME(put_apart)(low[j], high[j], sums + (unit + j) * LANES);
  }
}

/* What becomes of the sums of the hidden units: what is above their thresholds, which rise with the inputs. */
TARGET static void NAME(activate)(const int32_t *sums, const int16_t *thresholds, const int32_t *sizes,
                                  int64_t units, int16_t *found) {
  for (int64_t unit = 0; unit < units; unit++, sums += LANES, found += LANES) {
    for (int i = 0; i < LANES; i++) {
      int32_t threshold = thresholds[unit] * (sizes[i] >> 3);
      int32_t above = sums[i] + threshold, below = threshold - sums[i];
      int32_t value = ((above > 0 ? above : 0) - (below > 0 ? below : 0)) >> HIDDEN_SHIFT;
      value = value > -INT16_MAX ? value : -INT16_MAX;
      found[i] = (int16_t)(value < INT16_MAX ? value : INT16_MAX);
    }
  }
}

/* Applies a network to LANES blocks: `inputs` are theirs, and `found` (results, LANES). */
TARGET static void NAME(apply)(const Network *network, const int16_t *inputs, const int32_t *sizes,
                               int32_t *found) {
  int16_t hidden[MOST_UNITS * LANES];
  int32_t sums[MOST_UNITS * LANES];
  NAME(multiply)(inputs, network->inputs, network->hidden, network->units, sums);
  NAME(activate)(sums, network->thresholds, sizes, network->units, hidden);
  NAME(multiply)(hidden, network->units, network->outputs, network->results, found);
}

/* Adds up the magnitudes of the inputs of LANES blocks. */
TARGET static void NAME(measure)(const Network *network, const int16_t *values, const int64_t *offsets,
                                 int32_t *sizes) {
  uint16_t part[LANES];
  memset(sizes, 0, LANES * sizeof *sizes);
  for (int64_t first = 0; first < network->known; first += AT_ONCE) {
    NAME(Words) sum = {0};
    for (int64_t i = first; i < least(first + AT_ONCE, network->known); i++) {
      NAME(Words) number, sign;
      memcpy(&number, values + offsets[i], sizeof number);
      sign = -(number >> 15);
      sum += (number ^ sign) - sign;
    }
    memcpy(part, &sum, sizeof sum);
    for (int j = 0; j < LANES; j++) sizes[j] += part[j];
  }
}

/* Lists the blocks of a stretch of a row of which enough is known to expect something; returns how many. */
TARGET static int64_t NAME(list_busy)(const Network *network, const int16_t *values, const int64_t *offsets,
                                      int64_t count, int32_t *sizes, int16_t *busy) {
  int64_t found = 0, whole = count / LANES * LANES;
  for (int64_t j = 0; j < whole; j += LANES) NAME(measure)(network, values + j, offsets, sizes + j);
  for (int64_t j = whole; j < count; j++) {
    sizes[j] = 0;
    for (int64_t i = 0; i < network->known; i++) {
      int32_t number = values[offsets[i] + j];
      sizes[j] += number < 0 ? -number : number;
    }
  }
  for (int64_t j = 0; j < count; j++) {
    busy[found] = (int16_t)j;
    found += sizes[j] >= LEAST_KNOWN * network->known;
  }
  return found;
}

/* Rounds the results of LANES blocks. */
TARGET ALWAYS_INLINE void NAME(round)(const int32_t *sums, int16_t *rounded) {
  for (int i = 0; i < LANES; i++) {
    int32_t value = (sums[i] >> OUTPUT_SHIFT) + (sums[i] >> (OUTPUT_SHIFT - 1) & 1);
    value = value > -INT16_MAX ? value : -INT16_MAX;
    rounded[i] = (int16_t)(value < INT16_MAX ? value : INT16_MAX);
  }
}

/* Finds what is expected of LANES neighbours, of which those with too small inputs expect nothing. */
TARGET static void NAME(expect_near)(const Network *network, const int16_t *values, const int64_t *offsets,
                                     const int32_t *sizes, int64_t area, int16_t *inputs, int16_t *found) {
  int32_t results[MOST_UNITS * LANES];
  int16_t rounded[LANES], trusted[LANES];
  for (int64_t i = 0; i < network->known; i++) {
    memcpy(inputs + i * LANES, values + offsets[i], LANES * sizeof *inputs);
  }
  for (int j = 0; j < LANES; j++) trusted[j] = sizes[j] >= LEAST_KNOWN * network->known ? -1 : 0;
  NAME(apply)(network, inputs, sizes, results);
  for (int64_t result = 0; result < network->results; result++, found += area) {
    NAME(round)(results + result * LANES, rounded);
    for (int j = 0; j < LANES; j++) found[j] = rounded[j] & trusted[j];
  }
}

/* Finds what is expected of at most LANES listed blocks. */
TARGET static void NAME(expect_listed)(const Network *network, const int16_t *values, const int64_t *offsets,
                                       const int32_t *all_sizes, const int16_t *busy, int64_t count,
                                       int64_t area, int16_t *inputs, int16_t *found) {
  int32_t results[MOST_UNITS * LANES], sizes[LANES] = {0};
  int16_t rounded[LANES];
  for (int64_t j = 0; j < count; j++) sizes[j] = all_sizes[busy[j]];
  for (int64_t i = 0; i < network->known; i++) {
    for (int64_t j = 0; j < count; j++) inputs[i * LANES + j] = values[offsets[i] + busy[j]];
  }
  NAME(apply)(network, inputs, sizes, results);
  for (int64_t result = 0; result < network->results; result++, found += area) {
    NAME(round)(results + result * LANES, rounded);
    for (int64_t j = 0; j < count; j++) found[busy[j]] = rounded[j];
  }
}

/* Finds what a network expects of a row of blocks: `found` has `area` numbers for each component. */
TARGET static void NAME(expect_row)(const Network *network, const int16_t *values, const int64_t *offsets,
                                    int64_t columns, int64_t area, int16_t *found) {
  int16_t inputs[MOST_UNITS * LANES], busy[STRETCH + 1];
  int32_t sizes[STRETCH];
  memset(inputs, 0, sizeof inputs);
  for (int64_t start = 0; start < columns; start += STRETCH, values += STRETCH, found += STRETCH) {
    int64_t present = least(columns - start, STRETCH), taken = 0;
    int64_t n_busy = NAME(list_busy)(network, values, offsets, present, sizes, busy);
    for (int64_t first = 0; first < n_busy; first += taken) {
      int64_t place = busy[first];
      /* Where most neighbours are busy, all are taken as they are: putting some together takes longer. */
      taken = least(n_busy - first, LANES);
      if (taken > MANY && busy[first + MANY] < place + LANES && place + LANES <= present) {
        while (busy[first + taken - 1] >= place + LANES) taken--;
        NAME(expect_near)(network, values + place, offsets, sizes + place, area, inputs, found + place);
      } else {
        NAME(expect_listed)(network, values, offsets, sizes, busy + first, taken, area, inputs, found);
      }
    }
  }
}

#undef NAME
#undef TARGET
#undef LANES
