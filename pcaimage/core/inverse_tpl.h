/* From coefficients to pixels, in vectors of one width: inverse.c, which says why results are exact, includes
 * this for each.
 *
 * VECTOR and LANES are vectors of doubles, TARGET is for whom functions are compiled, and NAME(x) is a name
 * for the width.
 */

/* The weights of mirrored maps, ready for all lanes. */
typedef struct {
  VECTOR sums[8][4];
  VECTOR differences[8][4];
} NAME(Halves);

typedef struct {
  NAME(Halves) vertical;
  NAME(Halves) horizontal;
  double fixed[16][INVERSE_WIDTH];
  double lines[8][MOST_CHANNELS * 8][INVERSE_WIDTH];
  double turned[MOST_CHANNELS][8][INVERSE_WIDTH];
  int32_t mixed[8 * MOST_CHANNELS][INVERSE_TILE];
} NAME(Room);

TARGET static void NAME(spread)(const double *weights, NAME(Halves) *halves) {
  for (int u = 0; u < 8; u++) {
    for (int r = 0; r < 4; r++) {
      halves->sums[u][r] = NAME(all)(weights[u * 8 + r]);
      halves->differences[u][r] = NAME(all)(weights[u * 8 + 4 + r]);
    }
  }
}

/* Step 1. */
TARGET ALWAYS_INLINE VECTOR NAME(fixed_of)(VECTOR coefficients, double scale, double half_place) {
  const VECTOR limit = NAME(all)(ROUNDING_LIMIT), shift = NAME(all)(ROUNDING);
  VECTOR values = NAME(lesser)(NAME(greater)(coefficients * NAME(all)(scale), -limit), limit);
  return ((values + NAME(all)(half_place)) + shift) - shift;
}

/* The same of a part of a row of one plane. */
TARGET static void NAME(fix)(const int32_t *coefficients, int64_t count, double scale, double half_place,
                             double *fixed) {
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    NAME(put)(fixed + i, NAME(fixed_of)(NAME(load_as)(coefficients + i), scale, half_place));
  }
  for (; i < count; i++) fixed[i] = NAME(fixed_of)(NAME(all)(coefficients[i]), scale, half_place)[0];
}

/* Steps 2 and 3 as they are written: the eight samples of groups, `apart` numbers from each other, from the
 * eight components of each of two blocks. */
TARGET static void NAME(combine)(const double *before, const double *behind, const double *weights,
                                 int64_t count, double *samples, int64_t apart) {
  for (int s = 0; s < 8; s++, weights += 16, samples += apart) {
    for (int64_t j = 0; j < count; j++) {
      double total = HALF_PLACE;
      for (int u = 0; u < 8; u++) total += weights[u] * before[u * INVERSE_WIDTH + j];
      for (int u = 0; u < 8; u++) total += weights[8 + u] * behind[u * INVERSE_WIDTH + j];
      samples[j] = whole(total);
    }
  }
}

/* The same by mirrored maps; writes whole vectors. */
TARGET static void NAME(combine_halves)(const double *before, const double *behind,
                                        const NAME(Halves) *halves, int64_t count, double *samples,
                                        int64_t apart) {
  const VECTOR shift = NAME(all)(ROUNDING);
  for (int64_t j = 0; j < count; j += LANES) {
    VECTOR even[4], odd[4];
    for (int r = 0; r < 4; r++) {
      even[r] = NAME(all)(HALF_PLACE);
      odd[r] = NAME(all)(0.0);
    }
    for (int u = 0; u < 8; u++) {
      VECTOR one = NAME(load)(before + u * INVERSE_WIDTH + j), other = NAME(load)(behind + u * INVERSE_WIDTH + j);
      VECTOR sum = u % 2 ? one - other : one + other, difference = u % 2 ? one + other : one - other;
      for (int r = 0; r < 4; r++) even[r] += halves->sums[u][r] * sum;
      for (int r = 0; r < 4; r++) odd[r] += halves->differences[u][r] * difference;
    }
    for (int r = 0; r < 4; r++) {
      NAME(put)(samples + r * apart + j, ((even[r] + odd[r]) + shift) - shift);
      NAME(put)(samples + (7 - r) * apart + j, ((even[r] - odd[r]) + shift) - shift);
    }
  }
}

/* Blocks from `first` on, as far as they are of the image: numbers outside are zeros. */
TARGET static void NAME(take)(const int32_t *row, int64_t columns, int64_t first, int64_t count,
                              const Synthesis *s, double *fixed) {
  int64_t start = most(-first, 0), stop = least(columns - first, count);
  for (int64_t i = 0; i < start; i++) fixed[i] = 0.0;
  NAME(fix)(row + first + start, stop - start, s->scale, s->half_place, fixed + start);
  for (int64_t i = stop; i < count; i++) fixed[i] = 0.0;
}

/* Horizontal components of the eight lines of a group, from the blocks above and below them. */
TARGET static void NAME(down)(const Synthesis *s, const int32_t *above, const int32_t *below, int64_t plane,
                              int kind, int64_t columns, int64_t first, int64_t count, NAME(Room) *room) {
  const double *fixed = room->fixed[0], *behind = room->fixed[8];
  for (int64_t pv = 0; pv < s->channels * 8; pv++) {
    for (int u = 0; u < 8; u++) {
      int64_t start = (pv / 8 * 64 + u * 8 + pv % 8) * plane;
      NAME(take)(above + start, columns, first, count, s, room->fixed[u]);
      NAME(take)(below + start, columns, first, count, s, room->fixed[8 + u]);
      if (pv % 8 < 7) prefetch(below + start + plane, columns, first, count);
    }
    double *lines = room->lines[0][pv];
    const int64_t apart = MOST_CHANNELS * 8 * INVERSE_WIDTH;
    if (kind == 1 && s->vertical_mirrored) {
      NAME(combine_halves)(fixed, behind, &room->vertical, count, lines, apart);
    } else {
      NAME(combine)(fixed, behind, s->vertical + kind * 128, count, lines, apart);
    }
  }
}

/* Principal components of the pixels of a line. */
TARGET static void NAME(along)(const Synthesis *s, int line, int64_t first, int64_t last, int64_t count,
                               NAME(Room) *room) {
  for (int64_t p = 0; p < s->channels; p++) {
    const double *before = room->lines[line][p * 8];
    double *turned = room->turned[p][0];
    if (s->horizontal_mirrored) {
      NAME(combine_halves)(before, before + 1, &room->horizontal, count, turned, INVERSE_WIDTH);
    } else {
      NAME(combine)(before, before + 1, s->horizontal + 128, count, turned, INVERSE_WIDTH);
    }
    if (first == 0) NAME(combine)(before, before + 1, s->horizontal, 1, turned, INVERSE_WIDTH);
    int64_t end = last - first;
    if (end < count) {
      NAME(combine)(before + end, before + end + 1, s->horizontal + 256, 1, turned + end, INVERSE_WIDTH);
    }
  }
}

/* Step 4 of whole vectors of pixels, whose principal components are `plane` numbers apart. */
TARGET ALWAYS_INLINE void NAME(mix)(const Synthesis *s, int channels, double peak, const double *planes,
                                    int64_t plane, int64_t count, int32_t (*mixed)[INVERSE_TILE]) {
  for (int c = 0; c < channels; c++) {
    const VECTOR start = NAME(all)(s->mean[c] + 0.5), least = NAME(all)(0.0), most = NAME(all)(peak);
    VECTOR weights[MOST_CHANNELS];
    for (int p = 0; p < channels; p++) weights[p] = NAME(all)(s->rotation[p * channels + c]);
    for (int64_t j = 0; j < count; j += LANES) {
      VECTOR values = start;
      for (int p = 0; p < channels; p++) values += weights[p] * NAME(load)(planes + p * plane + j);
      values = NAME(lesser)(NAME(greater)(values, least), most);
      NAME(put_cut)(mixed[c] + j, values);
    }
  }
}

/* Puts groups of pixels where they belong; the first and the last group reach out of the image. */
TARGET ALWAYS_INLINE void NAME(join)(const NAME(Room) *room, int channels, int64_t width, int64_t first,
                                     int64_t count, void *line, int wide) {
  for (int64_t j = 0; j < count; j++) {
    int64_t x = 8 * (first + j) - 4, from = most(-x, 0) * channels, to = least(width - x, 8) * channels;
    for (int64_t i = from; i < to; i++) {
      if (wide) {
        ((uint16_t *)line)[x * channels + i] = (uint16_t)room->mixed[i][j];
      } else {
        ((uint8_t *)line)[x * channels + i] = (uint8_t)room->mixed[i][j];
      }
    }
  }
}

TARGET ALWAYS_INLINE void NAME(finish)(const Synthesis *s, int channels, int64_t first, int64_t count,
                                       NAME(Room) *room, void *line, int wide) {
  for (int k = 0; k < 8; k++) {
    int32_t(*mixed)[INVERSE_TILE] = room->mixed + k * channels;
    NAME(mix)(s, channels, wide ? 65535.0 : 255.0, room->turned[0][k], 8 * INVERSE_WIDTH, count, mixed);
  }
  NAME(join)(room, channels, s->width, first, count, line, wide);
}

/* Puts channels where lines are finished later. */
TARGET static void NAME(lay_out)(const NAME(Room) *room, int64_t channels, int64_t width, int64_t first,
                                 int64_t count, double *line, int64_t plane) {
  for (int64_t p = 0; p < channels; p++) {
    for (int64_t j = 0; j < count; j++) {
      int64_t x = 8 * (first + j) - 4, from = most(-x, 0), to = least(width - x, 8);
      for (int64_t k = from; k < to; k++) line[p * plane + x + k] = room->turned[p][k][j];
    }
  }
}

/* Groups of lines from `start` to `stop`: to pixels, or to channels if `planes` is given. Either has all lines of these
 * groups that are in the image. */
TARGET ALWAYS_INLINE void NAME(synthesise)(const Synthesis *s, const int32_t *coefficients, int64_t held,
                                           int64_t above, int64_t start, int64_t stop, void *image,
                                           int wide, double *planes) {
  NAME(Room) room;
  int64_t columns = (s->width + 7) / 8, blocks = (s->height + 7) / 8, channels = s->channels;
  int64_t top = most(8 * start - 4, 0), lines = least(8 * stop - 4, s->height) - top;
  /* The numbers that fill up a vector are computed with, though not used. */
  memset(&room, 0, sizeof room);
  NAME(spread)(s->vertical_halves, &room.vertical);
  NAME(spread)(s->horizontal_halves, &room.horizontal);
  /* Group by group, so that what was below the last one is still in the cache when it is above the next. */
  for (int64_t first = 0; first <= columns; first += INVERSE_TILE) {
    int64_t count = least(columns + 1 - first, INVERSE_TILE);
    for (int64_t group = start; group < stop; group++) {
      int kind = group == 0 ? 0 : group == blocks ? 2 : 1;
      /* A row outside of what is held is one outside of the image: its weights are zeros. */
      const int32_t *before = coefficients + within(group - 1 - above, 0, held - 1) * columns;
      const int32_t *behind = coefficients + within(group - above, 0, held - 1) * columns;
      /* One block more on each side of the borders. */
      NAME(down)(s, before, behind, held * columns, kind, columns, first - 1, count + 2, &room);
      int from = (int)most(0, 4 - 8 * group), to = (int)least(8, s->height + 4 - 8 * group);
      for (int line = from; line < to; line++) {
        NAME(along)(s, line, first, columns, count, &room);
        int64_t y = 8 * group - 4 + line;
        if (planes != NULL) {
          NAME(lay_out)(&room, channels, s->width, first, count, planes + (y - top) * s->width, lines * s->width);
          continue;
        }
        void *target = (uint8_t *)image + (y - top) * s->width * channels * (wide ? 2 : 1);
        if (channels == 1) NAME(finish)(s, 1, first, count, &room, target, wide);
        if (channels == 2) NAME(finish)(s, 2, first, count, &room, target, wide);
        if (channels == 3) NAME(finish)(s, 3, first, count, &room, target, wide);
        if (channels == 4) NAME(finish)(s, 4, first, count, &room, target, wide);
      }
    }
  }
}

TARGET static void NAME(synthesise_8)(const Synthesis *s, const int32_t *coefficients, int64_t held,
                                      int64_t above, int64_t start, int64_t stop, uint8_t *image) {
  NAME(synthesise)(s, coefficients, held, above, start, stop, image, 0, NULL);
}

TARGET static void NAME(synthesise_16)(const Synthesis *s, const int32_t *coefficients, int64_t held,
                                       int64_t above, int64_t start, int64_t stop, uint16_t *image) {
  NAME(synthesise)(s, coefficients, held, above, start, stop, image, 1, NULL);
}

TARGET static void NAME(synthesise_planes)(const Synthesis *s, const int32_t *coefficients, int64_t held,
                                           int64_t above, int64_t start, int64_t stop, double *planes) {
  NAME(synthesise)(s, coefficients, held, above, start, stop, NULL, 0, planes);
}

/* Step 4 of so many pixels. */
TARGET ALWAYS_INLINE void NAME(finish_pixels)(const Synthesis *s, int channels, const double *planes,
                                              int64_t plane, int64_t count, void *image, int wide) {
  int32_t mixed[MOST_CHANNELS][INVERSE_TILE];
  double end[MOST_CHANNELS][INVERSE_TILE] = {{0}};
  for (int64_t i = 0; i < count; i += INVERSE_TILE) {
    int64_t left = least(count - i, INVERSE_TILE);
    if (left == INVERSE_TILE) {
      NAME(mix)(s, channels, wide ? 65535.0 : 255.0, planes + i, plane, INVERSE_TILE, mixed);
    } else {
      for (int p = 0; p < channels; p++) {
        memcpy(end[p], planes + p * plane + i, (size_t)left * sizeof *planes);
      }
      NAME(mix)(s, channels, wide ? 65535.0 : 255.0, end[0], INVERSE_TILE, INVERSE_TILE, mixed);
    }
    for (int64_t j = 0; j < left; j++) {
      for (int c = 0; c < channels; c++) {
        if (wide) {
          ((uint16_t *)image)[(i + j) * channels + c] = (uint16_t)mixed[c][j];
        } else {
          ((uint8_t *)image)[(i + j) * channels + c] = (uint8_t)mixed[c][j];
        }
      }
    }
  }
}

TARGET ALWAYS_INLINE void NAME(finish_planes)(const Synthesis *s, const double *planes, int64_t plane,
                                              int64_t count, void *image, int wide) {
  if (s->channels == 1) NAME(finish_pixels)(s, 1, planes, plane, count, image, wide);
  if (s->channels == 2) NAME(finish_pixels)(s, 2, planes, plane, count, image, wide);
  if (s->channels == 3) NAME(finish_pixels)(s, 3, planes, plane, count, image, wide);
  if (s->channels == 4) NAME(finish_pixels)(s, 4, planes, plane, count, image, wide);
}

TARGET static void NAME(finish_planes_8)(const Synthesis *s, const double *planes, int64_t plane,
                                         int64_t count, uint8_t *image) {
  NAME(finish_planes)(s, planes, plane, count, image, 0);
}

TARGET static void NAME(finish_planes_16)(const Synthesis *s, const double *planes, int64_t plane,
                                          int64_t count, uint16_t *image) {
  NAME(finish_planes)(s, planes, plane, count, image, 1);
}

#undef NAME
#undef VECTOR
#undef LANES
#undef TARGET
