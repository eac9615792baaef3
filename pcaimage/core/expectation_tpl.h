/* What is expected of a component's scores in a chunk of blocks, for processors of one kind: expectation.h
 * includes this for each. TARGET is for whom functions are compiled, and NAME(x) is a name for it. */

/* Vectors that a chunk takes, and the blocks of one. */
enum { NAME(BLOCKS) = sizeof(NAME(Bytes)), NAME(PARTS) = CHUNK / NAME(BLOCKS) };

typedef struct {
  NAME(Lanes) even[NAME(PARTS)];
  NAME(Lanes) odd[NAME(PARTS)];
} NAME(Sums);

TARGET ALWAYS_INLINE NAME(Lanes) NAME(lanes_at)(const uint8_t *place) {
  NAME(Lanes) found;
  memcpy(&found, place, sizeof found);
  return found;
}

/* The bytes around one place, added up: sums of magnitudes stay below 128, so that signs do not matter. */
TARGET ALWAYS_INLINE NAME(Lanes) NAME(four_at)(const uint8_t *here, const int64_t *offsets) {
  NAME(Bytes) sum = (NAME(Bytes))NAME(lanes_at)(here + offsets[0]);
  for (int i = 1; i < 4; i++) sum += (NAME(Bytes))NAME(lanes_at)(here + offsets[i]);
  return (NAME(Lanes))sum;
}

/* Adds a multiple of magnitudes, or of sums of four. */
TARGET ALWAYS_INLINE void NAME(add_sizes)(NAME(Sums) *sums, const uint8_t *plane, const int64_t *offsets,
                                          int16_t weight) {
  const NAME(Lanes) all = (NAME(Lanes)){0} + (uint16_t)weight;
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++, plane += NAME(BLOCKS)) {
    NAME(Lanes) words = offsets ? NAME(four_at)(plane, offsets) : NAME(lanes_at)(plane);
    sums->even[part] += (words & MAGNITUDE) * all;
    sums->odd[part] += ((words >> 8) & MAGNITUDE) * all;
  }
}

/* Adds a multiple of scores. */
TARGET ALWAYS_INLINE void NAME(add_scores)(NAME(Sums) *sums, const uint8_t *plane, int16_t weight) {
  const NAME(Lanes) all = (NAME(Lanes)){0} + (uint16_t)weight;
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++, plane += NAME(BLOCKS)) {
    NAME(Lanes) words = NAME(lanes_at)(plane), even = words & MAGNITUDE, odd = (words >> 8) & MAGNITUDE;
    NAME(Lanes) even_sign = -((words >> 7) & 1), odd_sign = -(words >> 15);
    sums->even[part] += ((even ^ even_sign) - even_sign) * all;
    sums->odd[part] += ((odd ^ odd_sign) - odd_sign) * all;
  }
}

TARGET ALWAYS_INLINE void NAME(put_sums)(const NAME(Sums) *sums, int16_t *target) {
  for (int part = 0; part < NAME(PARTS); part++) {
    NAME(put_pair)(sums->even[part], sums->odd[part], target + part * NAME(BLOCKS));
  }
}

/* Finds what is expected of a component in a chunk of blocks, but for signs and for what its own scores tell: by earlier
 * components in the same block, in the four beside it, and in the four diagonal ones. Sums are in half steps, as known
 * scores are. */
TARGET APART void NAME(expect_chunk)(const Slice *slice, int64_t index, int64_t row, int64_t chunk,
                                      Expectation *result) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  const uint64_t *predictors = plan->predictors + SET_WORDS * index, *near = near_of(known, row, chunk);
  const int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  const int64_t beside[4] = {-1, 1, -pitch, pitch};
  const int64_t diagonal[4] = {-pitch - 1, -pitch + 1, pitch - 1, pitch + 1};
  NAME(Sums) own = {{{0}}, {{0}}}, around = own;
  for (int word = 0; word < SET_WORDS; word++) {
    for (uint64_t left = predictors[word] & near[word]; left; left &= left - 1) {
      const int64_t other = 64 * word + __builtin_ctzll(left);
      const uint8_t *plane = known->scores + place_of_plane(known, other) + place;
      const int16_t *weights = plan->weights + 3 * (index * plan->components + other);
      /* The next chunk will ask for the row below, the others are close by already. */
      __builtin_prefetch(plane + CHUNK + pitch);
      NAME(add_sizes)(&own, plane, NULL, weights[0]);
      if (weights[1]) NAME(add_sizes)(&around, plane, beside, weights[1]);
      if (weights[2]) NAME(add_sizes)(&around, plane, diagonal, weights[2]);
    }
  }
  NAME(put_sums)(&own, result->own);
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++) {
    own.even[part] += around.even[part] + (uint16_t)plan->level[index];
    own.odd[part] += around.odd[part] + (uint16_t)plan->level[index];
  }
  NAME(put_sums)(&own, result->size);
  find_busy(known->scores + place_of_plane(known, index) + place - pitch, result->busy);
}

/* Finds what is expected of the signs in a chunk, most of which have no score that needs it. */
TARGET APART void NAME(expect_signs)(const Slice *slice, int64_t index, int64_t row, int64_t chunk,
                                      int16_t *values) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  const uint64_t *predictors = plan->sign_predictors + SET_WORDS * index, *near = near_of(known, row, chunk);
  const int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  /* Blocks whose signs tell. */
  const int64_t beside[4] = {-1, -pitch, 1, pitch};
  NAME(Sums) sums = {{{0}}, {{0}}};
  for (int word = 0; word < SET_WORDS; word++) {
    for (uint64_t left = predictors[word] & near[word]; left; left &= left - 1) {
      const int64_t other = 64 * word + __builtin_ctzll(left);
      const uint8_t *plane = known->scores + place_of_plane(known, other) + place;
      const int16_t *weights = plan->sign_weights + 4 * (index * plan->components + other);
      for (int i = 0; i < 4; i++) {
        if (weights[i]) NAME(add_scores)(&sums, plane + beside[i], weights[i]);
      }
    }
  }
  NAME(put_sums)(&sums, values);
}

#undef NAME
#undef TARGET
