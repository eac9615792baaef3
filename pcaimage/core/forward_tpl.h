/* From pixels to scores, in vectors of one type and width: forward.c includes this once for each.
 *
 * REAL is the type, VECTOR and LANES are vectors of it, TARGET is for whom functions are compiled, and
 * NAME(x) is a name for type and width. PIXEL is the type of pixels, WHOLE that of rounded scores; adding and
 * taking away FORWARD_SHIFT rounds what is within their limit, half to even. Sums have one order, so that
 * scores are the same on every machine, with every compiler and in vectors of every width.
 */

/* Blocks of a row whose numbers are worked on at once: they stay in the cache. */
#define FORWARD_TILE (128 / (int)sizeof(REAL))
/* The groups on both sides of the blocks, and room for a vector's end. */
#define FORWARD_WIDTH (FORWARD_TILE + LANES)

/* The weights of eight components of two groups' samples, ready for all lanes. */
typedef struct {
  VECTOR weights[16][8];
} NAME(Spread);

typedef struct {
  NAME(Spread) across;
  NAME(Spread) down;
  REAL pixels[MOST_CHANNELS][8][FORWARD_WIDTH];
  REAL turned[MOST_CHANNELS][8][FORWARD_WIDTH];
  /* The horizontal components of the lines of two groups in turn. */
  REAL groups[2][MOST_CHANNELS * 8][8][FORWARD_WIDTH];
} NAME(Room);

/* The second half of the weights is that of the group before a block, the first of the one behind it. */
TARGET static void NAME(spread)(const double *before, const double *behind, NAME(Spread) *spread) {
  for (int k = 0; k < 8; k++) {
    for (int v = 0; v < 8; v++) {
      for (int lane = 0; lane < LANES; lane++) {
        spread->weights[k][v][lane] = (REAL)before[(8 + v) * 8 + k];
        spread->weights[8 + k][v][lane] = (REAL)behind[v * 8 + k];
      }
    }
  }
}

/* Eight components of some blocks, `apart` numbers from each other, from the samples before and behind. */
TARGET static void NAME(combine)(const REAL *before, const REAL *behind, const NAME(Spread) *spread,
                                 int64_t count, REAL *components, int64_t apart) {
  for (int64_t j = 0; j < count; j += LANES) {
    VECTOR totals[8], values = NAME(load)(before + j);
    for (int v = 0; v < 8; v++) totals[v] = spread->weights[0][v] * values;
    for (int k = 1; k < 8; k++) {
      values = NAME(load)(before + k * FORWARD_WIDTH + j);
      for (int v = 0; v < 8; v++) totals[v] += spread->weights[k][v] * values;
    }
    for (int k = 0; k < 8; k++) {
      values = NAME(load)(behind + k * FORWARD_WIDTH + j);
      for (int v = 0; v < 8; v++) totals[v] += spread->weights[8 + k][v] * values;
    }
    for (int v = 0; v < 8; v++) NAME(put)(components + v * apart + j, totals[v]);
  }
}

/* The same of one block. */
TARGET static void NAME(combine_one)(const REAL *before, const REAL *behind, const double *before_weights,
                                     const double *behind_weights, REAL *components, int64_t apart) {
  for (int v = 0; v < 8; v++) {
    const double *weights = before_weights + (8 + v) * 8, *more = behind_weights + v * 8;
    REAL total = (REAL)weights[0] * before[0];
    for (int k = 1; k < 8; k++) total += (REAL)weights[k] * before[k * FORWARD_WIDTH];
    for (int k = 0; k < 8; k++) total += (REAL)more[k] * behind[k * FORWARD_WIDTH];
    components[v * apart] = total;
  }
}

/* Copies groups of eight pixels to where they are columns; beyond the image stand its outermost pixels. */
TARGET ALWAYS_INLINE void NAME(split)(const PIXEL *line, int channels, int64_t width, int64_t first,
                                      int64_t count, NAME(Room) *room) {
  for (int64_t j = 0; j < count; j++) {
    int64_t x = 8 * (first + j) - 4;
    int inside = x >= 0 && x + 8 <= width;
    for (int k = 0; k < 8; k++) {
      int64_t place = (inside ? x + k : within(x + k, 0, width - 1)) * channels;
      for (int c = 0; c < channels; c++) {
        room->pixels[c][k][j] = (REAL)line[place + c];
      }
    }
  }
}

/* Replaces the channels by their principal components. */
TARGET ALWAYS_INLINE void NAME(turn)(const Analysis *a, int channels, int64_t count, NAME(Room) *room) {
  for (int p = 0; p < channels; p++) {
    const VECTOR start = NAME(all)((REAL)-a->offset[p]);
    VECTOR weights[MOST_CHANNELS];
    for (int c = 0; c < channels; c++) weights[c] = NAME(all)((REAL)a->rotation[p * channels + c]);
    for (int k = 0; k < 8; k++) {
      for (int64_t j = 0; j < count; j += LANES) {
        VECTOR values = start;
        for (int c = 0; c < channels; c++) values += weights[c] * NAME(load)(room->pixels[c][k] + j);
        NAME(put)(room->turned[p][k] + j, values);
      }
    }
  }
}

/* Principal components of groups of a line: with numbers of channels that the compiler knows. */
TARGET ALWAYS_INLINE void NAME(prepare)(const Analysis *a, const PIXEL *line, int channels, int64_t first,
                                        int64_t count, NAME(Room) *room) {
  NAME(split)(line, channels, a->width, first, count, room);
  NAME(turn)(a, channels, count, room);
}

/* Horizontal components of line s of a group. */
TARGET static void NAME(across)(const Analysis *a, const PIXEL *line, int64_t first, int64_t count, int s,
                                REAL (*group)[8][FORWARD_WIDTH], NAME(Room) *room) {
  const int64_t apart = 8 * FORWARD_WIDTH, last = (a->width + 7) / 8 - 1;
  if (a->channels == 1) NAME(prepare)(a, line, 1, first, count + 1, room);
  if (a->channels == 2) NAME(prepare)(a, line, 2, first, count + 1, room);
  if (a->channels == 3) NAME(prepare)(a, line, 3, first, count + 1, room);
  if (a->channels == 4) NAME(prepare)(a, line, 4, first, count + 1, room);
  for (int64_t p = 0; p < a->channels; p++) {
    const REAL *turned = room->turned[p][0];
    REAL *components = group[p * 8][s];
    NAME(combine)(turned, turned + 1, &room->across, count, components, apart);
    for (int64_t column = 0; column <= last; column += most(last, 1)) {
      int64_t j = column - first;
      if (j < 0 || j >= count) continue;
      const double *before = a->horizontal + (column == 0 ? 0 : 128);
      const double *behind = a->horizontal + (column == last ? 256 : 128);
      NAME(combine_one)(turned + j, turned + j + 1, before, behind, components + j, apart);
    }
  }
}

/* Scores as whole numbers, as far as they go. */
TARGET ALWAYS_INLINE void NAME(put_whole)(const REAL *scores, int64_t count, const Analysis *a,
                                          WHOLE *target) {
  const VECTOR factor = NAME(all)((REAL)a->factor), limit = NAME(all)((REAL)a->limit),
      shift = NAME(all)(FORWARD_SHIFT);
  int32_t rounded[FORWARD_WIDTH];
  for (int64_t j = 0; j < count; j += LANES) {
    VECTOR values = NAME(lesser)(NAME(greater)(NAME(load)(scores + j) * factor, -limit), limit);
    NAME(put_cut)(rounded + j, (values + shift) - shift);
  }
  for (int64_t j = 0; j < count; j++) target[j] = (WHOLE)rounded[j];
}

/* All scores of some blocks, from the group above them and the one below. */
TARGET ALWAYS_INLINE void NAME(down)(const Analysis *a, int64_t pv, int64_t count, REAL (*above)[8][FORWARD_WIDTH],
                                     REAL (*below)[8][FORWARD_WIDTH], const NAME(Room) *room, void *planes,
                                     int64_t place, int64_t plane, int whole) {
  REAL scores[8][FORWARD_WIDTH];
  NAME(combine)(above[pv][0], below[pv][0], &room->down, count, scores[0], FORWARD_WIDTH);
  for (int u = 0; u < 8; u++) {
    int64_t start = (pv / 8 * 64 + u * 8 + pv % 8) * plane + place;
    if (whole) {
      NAME(put_whole)(scores[u], count, a, (WHOLE *)planes + start);
    } else {
      float *target = (float *)planes + start;
      for (int64_t j = 0; j < count; j++) target[j] = (float)(scores[u][j] * (REAL)a->factor);
    }
  }
}

TARGET ALWAYS_INLINE void NAME(analyse)(const Analysis *a, const PIXEL *image, int64_t start, int64_t stop,
                                        void *planes, int64_t held, int64_t top, int whole) {
  NAME(Room) room;
  const int64_t rows = (a->height + 7) / 8, columns = (a->width + 7) / 8, channels = a->channels;
  /* The filling of a vector's end is computed with, though not used. */
  memset(&room, 0, sizeof room);
  NAME(spread)(a->horizontal + 128, a->horizontal + 128, &room.across);
  for (int64_t first = 0; first < columns; first += FORWARD_TILE) {
    int64_t count = least(columns - first, FORWARD_TILE);
    for (int64_t group = start; group <= stop; group++) {
      for (int s = 0; s < 8; s++) {
        int64_t y = within(8 * group - 4 + s, 0, a->height - 1) * a->width * channels;
        NAME(across)(a, image + y, first, count, s, room.groups[group % 2], &room);
      }
      if (group == start) continue;
      const double *before = a->vertical + (group == 1 ? 0 : 128);
      NAME(spread)(before, a->vertical + (group == rows ? 256 : 128), &room.down);
      int64_t place = (top + group - 1 - start) * columns + first;
      for (int64_t pv = 0; pv < channels * 8; pv++) {
        NAME(down)(a, pv, count, room.groups[(group + 1) % 2], room.groups[group % 2], &room, planes, place,
                   held * columns, whole);
      }
    }
  }
}

TARGET static void NAME(analyse_exact)(const Analysis *a, const PIXEL *image, int64_t start, int64_t stop,
                                       float *planes, int64_t held, int64_t top) {
  NAME(analyse)(a, image, start, stop, planes, held, top, 0);
}

TARGET static void NAME(analyse_whole)(const Analysis *a, const PIXEL *image, int64_t start, int64_t stop,
                                       WHOLE *planes, int64_t held, int64_t top) {
  NAME(analyse)(a, image, start, stop, planes, held, top, 1);
}

#undef FORWARD_TILE
#undef FORWARD_WIDTH
#undef NAME
#undef VECTOR
#undef LANES
#undef TARGET
