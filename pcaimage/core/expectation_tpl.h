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
TARGET ALWAYS_INLINE void NAME(add_sizes)(NAME(Sums) *sums, int part, NAME(Lanes) words, NAME(Lanes) weight) {
  sums->even[part] += (words & MAGNITUDE) * weight;
  sums->odd[part] += ((words >> 8) & MAGNITUDE) * weight;
}

/* Adds a multiple of scores. */
TARGET ALWAYS_INLINE void NAME(add_scores)(NAME(Sums) *sums, int part, NAME(Lanes) words, NAME(Lanes) weight) {
  NAME(Lanes) even = words & MAGNITUDE, odd = (words >> 8) & MAGNITUDE;
  NAME(Lanes) even_sign = -((words >> 7) & 1), odd_sign = -(words >> 15);
  sums->even[part] += ((even ^ even_sign) - even_sign) * weight;
  sums->odd[part] += ((odd ^ odd_sign) - odd_sign) * weight;
}

TARGET ALWAYS_INLINE void NAME(put_sums)(const NAME(Sums) *sums, int16_t *target) {
  for (int part = 0; part < NAME(PARTS); part++) {
    NAME(put_pair)(sums->even[part], sums->odd[part], target + part * NAME(BLOCKS));
  }
}

/* Finds what is expected of magnitudes, by the terms of the same block, of the four beside it, and of the four
 * diagonal ones. */
TARGET ALWAYS_INLINE void NAME(expect_sizes)(Term terms[][MOST_COMPONENTS], const int *counts, int64_t pitch,
                                             int16_t level, Expectation *result) {
  const int64_t beside[4] = {-1, 1, -pitch, pitch};
  const int64_t diagonal[4] = {-pitch - 1, -pitch + 1, pitch - 1, pitch + 1};
  const NAME(Lanes) none = {0};
  NAME(Sums) sums;
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++) sums.even[part] = sums.odd[part] = none;
  for (int i = 0; i < counts[0]; i++) {
    const NAME(Lanes) weight = none + (uint16_t)terms[0][i].weight;
    WRITTEN_OUT
    for (int part = 0; part < NAME(PARTS); part++) {
      NAME(add_sizes)(&sums, part, NAME(lanes_at)(terms[0][i].plane + part * NAME(BLOCKS)), weight);
    }
  }
  NAME(put_sums)(&sums, result->own);
  for (int kind = 1; kind < 3; kind++) {
    for (int i = 0; i < counts[kind]; i++) {
      const NAME(Lanes) weight = none + (uint16_t)terms[kind][i].weight;
      WRITTEN_OUT
      for (int part = 0; part < NAME(PARTS); part++) {
        const uint8_t *here = terms[kind][i].plane + part * NAME(BLOCKS);
        NAME(add_sizes)(&sums, part, NAME(four_at)(here, kind == 1 ? beside : diagonal), weight);
      }
    }
  }
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++) {
    sums.even[part] += (uint16_t)level;
    sums.odd[part] += (uint16_t)level;
  }
  NAME(put_sums)(&sums, result->size);
}

/* Finds what is expected of scores with their signs, by terms of blocks `beside` these. */
TARGET ALWAYS_INLINE void NAME(expect_values)(Term terms[][MOST_COMPONENTS], const int *counts, int kinds,
                                              const int64_t *beside, int16_t *values) {
  const NAME(Lanes) none = {0};
  NAME(Sums) sums;
  WRITTEN_OUT
  for (int part = 0; part < NAME(PARTS); part++) sums.even[part] = sums.odd[part] = none;
  for (int kind = 0; kind < kinds; kind++) {
    for (int i = 0; i < counts[kind]; i++) {
      const NAME(Lanes) weight = none + (uint16_t)terms[kind][i].weight;
      const uint8_t *plane = terms[kind][i].plane + beside[kind];
      WRITTEN_OUT
      for (int part = 0; part < NAME(PARTS); part++) {
        NAME(add_scores)(&sums, part, NAME(lanes_at)(plane + part * NAME(BLOCKS)), weight);
      }
    }
  }
  NAME(put_sums)(&sums, values);
}

/* Finds what is expected of a component in a chunk of blocks, but for signs and for what its own scores tell. Sums are
 * in half steps, as known scores are. */
TARGET ALWAYS_INLINE void NAME(expect_chunk)(const Slice *slice, int64_t index, int64_t row, int64_t chunk,
                                             Expectation *result) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  Term terms[3][MOST_COMPONENTS];
  int counts[3] = {0, 0, 0};
  list_terms(known, plan->predictors + SET_WORDS * index, near_of(known, row, chunk),
             plan->weights + 3 * index * plan->components, 3, place, terms, counts);
  NAME(expect_sizes)(terms, counts, pitch, plan->level[index], result);
  find_busy(known->scores + place_of_plane(known, index) + place - pitch, result->busy);
}

/* Finds what is expected of the signs in a chunk, most of which have no score that needs it. */
TARGET ALWAYS_INLINE void NAME(expect_signs)(const Slice *slice, int64_t index, int64_t row, int64_t chunk,
                                             int16_t *values) {
  const Plan *plan = &slice->plan;
  const CodedScores *known = &slice->known;
  int64_t pitch = pitch_of(known), place = row * pitch + chunk * CHUNK;
  Term terms[4][MOST_COMPONENTS];
  int counts[4] = {0, 0, 0, 0};
  /* Blocks whose signs tell. */
  const int64_t beside[4] = {-1, -pitch, 1, pitch};
  list_terms(known, plan->sign_predictors + SET_WORDS * index, near_of(known, row, chunk),
             plan->sign_weights + 4 * index * plan->components, 4, place, terms, counts);
  NAME(expect_values)(terms, counts, 4, beside, values);
}

#undef NAME
#undef TARGET
