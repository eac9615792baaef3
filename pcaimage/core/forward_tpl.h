/* From pixels to scores, in numbers of one type: forward.c includes this once for each.
 *
 * REAL is the type, and NAME(x) is a name for it. PIXEL is the type of pixels, WHOLE that of rounded scores; adding
 * and taking away FORWARD_SHIFT rounds what is within their limit, half to even.
 */

typedef struct {
  /* The weights of eight components in the samples of the groups before and behind a block, (16, 8). */
  REAL across[16 * 8], down[16 * 8];
  REAL pixels[MOST_CHANNELS][8][FORWARD_WIDTH];
  REAL turned[MOST_CHANNELS][8][FORWARD_WIDTH];
  /* The horizontal components of the lines of two groups in turn. */
  REAL groups[2][MOST_CHANNELS * 8][8][FORWARD_TILE];
} NAME(Room);

/* The second half of the maps is that of the group before a block, the first of the one behind it. */
static void NAME(take_weights)(const double *before, const double *behind, REAL *weights) {
  for (int k = 0; k < 8; k++) {
    for (int v = 0; v < 8; v++) {
      weights[k * 8 + v] = (REAL)before[(8 + v) * 8 + k];
      weights[(8 + k) * 8 + v] = (REAL)behind[v * 8 + k];
    }
  }
}

/* Eight components of some blocks, `apart` numbers from each other, from the samples before and behind, whose lines
 * are `pitch` apart. */
static void NAME(combine)(const REAL *before, const REAL *behind, int64_t pitch, const REAL *weights, int64_t count,
                          REAL *components, int64_t apart) {
  const REAL *lines[16];
  for (int k = 0; k < 8; k++) {
    lines[k] = before + k * pitch;
    lines[8 + k] = behind + k * pitch;
  }
  NAME(sum)(lines, 16, weights, 8, count, components, apart);
}

/* Copies groups of eight pixels to where they are columns; beyond the image stand its outermost pixels. */
ALWAYS_INLINE void NAME(split)(const PIXEL *line, int channels, int64_t width, int64_t first, int64_t count,
                               NAME(Room) *room) {
  for (int64_t j = 0; j < count; j++) {
    int64_t x = 8 * (first + j) - 4;
    int inside = x >= 0 && x + 8 <= width;
    for (int k = 0; k < 8; k++) {
      int64_t place = (inside ? x + k : within(x + k, 0, width - 1)) * channels;
      for (int c = 0; c < channels; c++) room->pixels[c][k][j] = (REAL)line[place + c];
    }
  }
}

/* Replaces the channels by their principal components. */
ALWAYS_INLINE void NAME(turn_samples)(const Analysis *a, NAME(Room) *room) {
  for (int64_t p = 0; p < a->channels; p++) {
    REAL *turned = room->turned[p][0];
    for (int64_t j = 0; j < 8 * FORWARD_WIDTH; j++) turned[j] = (REAL)-a->offset[p];
    for (int64_t c = 0; c < a->channels; c++) {
      const REAL weight = (REAL)a->rotation[p * a->channels + c], *pixels = room->pixels[c][0];
      for (int64_t j = 0; j < 8 * FORWARD_WIDTH; j++) turned[j] += weight * pixels[j];
    }
  }
}

EITHER_WIDTH(static, NAME(turn), NAME(turn_samples), (const Analysis *a, NAME(Room) *room), (a, room))

/* Horizontal components of line s of a group. */
static void NAME(across)(const Analysis *a, const PIXEL *line, int64_t first, int64_t count, int s,
                         REAL (*group)[8][FORWARD_TILE], NAME(Room) *room) {
  const int64_t last = (a->width + 7) / 8 - 1;
  REAL weights[16 * 8];
  if (a->channels == 3) {
    NAME(split)(line, 3, a->width, first, count + 1, room);
  } else {
    NAME(split)(line, (int)a->channels, a->width, first, count + 1, room);
  }
  NAME(turn)(a, room);
  for (int64_t p = 0; p < a->channels; p++) {
    const REAL *turned = room->turned[p][0];
    REAL *components = group[p * 8][s];
    NAME(combine)(turned, turned + 1, FORWARD_WIDTH, room->across, count, components, 8 * FORWARD_TILE);
    for (int64_t column = 0; column <= last; column += most(last, 1)) {
      int64_t j = column - first;
      if (j < 0 || j >= count) continue;
      NAME(take_weights)(a->horizontal + (column == 0 ? 0 : 128), a->horizontal + (column == last ? 256 : 128),
                         weights);
      NAME(combine)(turned + j, turned + j + 1, FORWARD_WIDTH, weights, 1, components + j, 8 * FORWARD_TILE);
    }
  }
}

/* Scores times a factor: whole numbers, as far as they go, or as they are. */
ALWAYS_INLINE void NAME(put_scores)(const REAL *scores, int64_t count, const Analysis *a, void *planes, int64_t place,
                                    int whole) {
  const REAL factor = (REAL)a->factor, limit = (REAL)a->limit;
  for (int64_t j = 0; j < count && !whole; j++) ((float *)planes)[place + j] = (float)(scores[j] * factor);
  for (int64_t j = 0; j < count && whole; j++) {
    REAL value = scores[j] * factor;
    value = value > -limit ? value : -limit;
    value = value < limit ? value : limit;
    ((WHOLE *)planes)[place + j] = (WHOLE)(int32_t)((value + FORWARD_SHIFT) - FORWARD_SHIFT);
  }
}

EITHER_WIDTH(static, NAME(put), NAME(put_scores),
             (const REAL *scores, int64_t count, const Analysis *a, void *planes, int64_t place, int whole),
             (scores, count, a, planes, place, whole))

static void NAME(analyse)(const Analysis *a, const PIXEL *image, int64_t start, int64_t stop, void *planes,
                          int64_t held, int64_t top, int whole) {
  NAME(Room) room;
  const int64_t rows = (a->height + 7) / 8, columns = (a->width + 7) / 8, channels = a->channels;
  /* What is behind the last groups is computed with, though not used. */
  memset(&room.pixels, 0, sizeof room.pixels);
  NAME(take_weights)(a->horizontal + 128, a->horizontal + 128, room.across);
  for (int64_t first = 0; first < columns; first += FORWARD_TILE) {
    int64_t count = least(columns - first, FORWARD_TILE);
    for (int64_t group = start; group <= stop; group++) {
      for (int s = 0; s < 8; s++) {
        int64_t y = within(8 * group - 4 + s, 0, a->height - 1) * a->width * channels;
        NAME(across)(a, image + y, first, count, s, room.groups[group % 2], &room);
      }
      if (group == start) continue;
      NAME(take_weights)(a->vertical + (group == 1 ? 0 : 128), a->vertical + (group == rows ? 256 : 128), room.down);
      for (int64_t pv = 0; pv < channels * 8; pv++) {
        REAL scores[8][FORWARD_TILE];
        NAME(combine)(room.groups[(group + 1) % 2][pv][0], room.groups[group % 2][pv][0], FORWARD_TILE, room.down,
                      count, scores[0], FORWARD_TILE);
        for (int u = 0; u < 8; u++) {
          int64_t plane = pv / 8 * 64 + u * 8 + pv % 8, row = top + group - 1 - start;
          NAME(put)(scores[u], count, a, planes, (plane * held + row) * columns + first, whole);
        }
      }
    }
  }
}

#undef REAL
#undef PIXEL
#undef WHOLE
#undef FORWARD_SHIFT
#undef NAME
