/* From coefficients to what a screen shows, in vectors of one width: painting.c includes this for each.
 *
 * VECTOR and LANES are vectors of floats, TARGET is for whom functions are compiled, and NAME(x) is a name
 * for the width.
 */

/* Blocks of a row that are worked on at once: their numbers stay in the cache. */
#define PAINTING_TILE 32
/* The blocks on both sides of them, and room for a vector's end. */
#define PAINTING_WIDTH (PAINTING_TILE + 2 + LANES)

/* The share of a component of a block, of the one before and of the one behind in the block's averages:
 * the first half of these depend on the one before, the others on the one behind; a block's single average
 * depends on both. */
typedef struct {
  VECTOR here[8][8];
  VECTOR beside[8][8];
  VECTOR behind[8];
} NAME(Weights);

typedef struct {
  NAME(Weights) down;
  NAME(Weights) across;
  float lines[8][LINES][PAINTING_WIDTH];
  float turned[MOST_CHANNELS][8][PAINTING_WIDTH];
  int32_t shown[8 * MOST_CHANNELS][PAINTING_WIDTH];
} NAME(Room);

TARGET static void NAME(spread)(const float *map, int cells, NAME(Weights) *weights) {
  for (int s = 0; s < cells; s++, map += 24) {
    for (int u = 0; u < 8; u++) {
      weights->here[u][s] = NAME(all)(map[8 + u]);
      weights->beside[u][s] = NAME(all)(map[(2 * s < cells ? 0 : 16) + u]);
      if (cells == 1) weights->behind[u] = NAME(all)(map[16 + u]);
    }
  }
}

/* Averages within some blocks, `apart` numbers from each other, from the components that there are: `which`,
 * and where they begin. Those of the blocks before and behind are at given distances from them. */
TARGET ALWAYS_INLINE void NAME(combine)(int cells, const NAME(Weights) *weights, const float *const *places,
                                        const int *which, int components, int64_t before, int64_t behind,
                                        int64_t count, float *averages, int64_t apart) {
  for (int64_t start = 0; start < count; start += LANES) {
    /* The last vector begins earlier, so that nothing behind the numbers is read. */
    int64_t j = least(start, count - LANES);
    VECTOR totals[8];
    WRITTEN_OUT for (int s = 0; s < cells; s++) totals[s] = NAME(all)(0.0f);
    for (int c = 0; c < components; c++) {
      const float *place = places[c] + j;
      VECTOR here = NAME(load)(place), one = NAME(load)(place + before), other = NAME(load)(place + behind);
      WRITTEN_OUT for (int s = 0; s < cells; s++) {
        totals[s] += weights->here[which[c]][s] * here;
        totals[s] += weights->beside[which[c]][s] * (2 * s < cells ? one : other);
      }
      if (cells == 1) totals[0] += weights->behind[which[c]] * other;
    }
    WRITTEN_OUT for (int s = 0; s < cells; s++) NAME(put)(averages + s * apart + j, totals[s]);
  }
}

/* The same of fewer blocks than a vector has, one by one: of narrow images. */
TARGET static void NAME(combine_few)(int cells, const NAME(Weights) *weights, const float *const *places,
                                     const int *which, int components, int64_t before, int64_t behind,
                                     int64_t count, float *averages, int64_t apart) {
  for (int64_t j = 0; j < count; j++) {
    for (int s = 0; s < cells; s++) {
      float total = 0.0f;
      for (int c = 0; c < components; c++) {
        const float *place = places[c] + j;
        total += weights->here[which[c]][s][0] * place[0];
        total += weights->beside[which[c]][s][0] * place[2 * s < cells ? before : behind];
        if (cells == 1) total += weights->behind[which[c]][0] * place[behind];
      }
      averages[s * apart + j] = total;
    }
  }
}

/* Horizontal components of all lines of averages of a row of blocks; outside of the image there are zeros. */
TARGET ALWAYS_INLINE void NAME(down)(const Painting *p, int cells, int64_t row, int64_t first, int64_t count,
                                     NAME(Room) *room) {
  int64_t width = p->width, start = most(-first, 0), stop = least(width - first, count);
  int64_t before = row > 0 ? -width : 0, behind = row + 1 < p->height ? width : 0;
  for (int64_t index = 0; index < p->components;) {
    const float *places[8];
    int which[8], found = 0;
    int64_t line = p->lines[2 * index];
    for (; index < p->components && p->lines[2 * index] == line && found < 8; index++, found++) {
      places[found] = p->values + (index * p->height + row) * width + first + start;
      which[found] = (int)p->lines[2 * index + 1];
    }
    float *averages = room->lines[0][line] + start;
    if (stop - start < LANES) {
      NAME(combine_few)(cells, &room->down, places, which, found, before, behind, stop - start, averages,
                        LINES * PAINTING_WIDTH);
    } else {
      NAME(combine)(cells, &room->down, places, which, found, before, behind, stop - start, averages,
                    LINES * PAINTING_WIDTH);
    }
    for (int s = 0; s < cells; s++) {
      for (int64_t i = 0; i < start; i++) room->lines[s][line][i] = 0.0f;
      for (int64_t i = stop; i < count; i++) room->lines[s][line][i] = 0.0f;
    }
  }
}

/* Averages of a channel's principal component in a line of a row of blocks. */
TARGET ALWAYS_INLINE void NAME(across)(const Painting *p, int cells, int channel, int line, int64_t first,
                                       int64_t count, NAME(Room) *room) {
  const int64_t columns = p->width - p->left - p->right;
  const float *places[8];
  int which[8], found = 0;
  for (int v = 0; v < 8; v++) {
    if (!(p->present >> (channel * 8 + v) & 1)) continue;
    places[found] = room->lines[line][channel * 8 + v] + 1;
    which[found++] = v;
  }
  float *turned = room->turned[channel][0];
  int64_t whole = (count + LANES - 1) / LANES * LANES;
  NAME(combine)(cells, &room->across, places, which, found, -1, 1, whole, turned, PAINTING_WIDTH);
  for (int end = 0; end < 2; end++) {
    int64_t column = end ? columns - 1 : 0, j = column - first;
    int kind = (column == 0 && p->left == 0 ? 1 : 0) + (column == columns - 1 && p->right == 0 ? 2 : 0);
    if (!kind || j < 0 || j >= count) continue;
    for (int k = 0; k < cells; k++) {
      const float *map = p->horizontal + (kind * cells + k) * 24;
      float total = 0.0f;
      for (int c = 0; c < found; c++) {
        for (int b = 0; b < 3; b++) total += map[8 * b + which[c]] * places[c][j + b - 1];
      }
      turned[k * PAINTING_WIDTH + j] = total;
    }
  }
}

/* Turns the channels' principal components into a line of the picture, up to its limit. */
TARGET ALWAYS_INLINE void NAME(show)(const Painting *p, int cells, int shown, int64_t count, NAME(Room) *room,
                                     void *pixels, int wide) {
  for (int n = 0; n < shown; n++) {
    for (int k = 0; k < cells; k++) {
      for (int64_t j = 0; j < count; j += LANES) {
        VECTOR values = NAME(all)(p->offset[n]);
        WRITTEN_OUT for (int c = 0; c < MOST_CHANNELS; c++) {
          if (!(p->present >> (c * 8) & 255)) continue;
          values += NAME(all)(p->rotation[c * shown + n]) * NAME(load)(room->turned[c][k] + j);
        }
        values = NAME(lesser)(NAME(greater)(values, NAME(all)(0.0f)), NAME(all)((float)p->limit));
        NAME(put_cut)(room->shown[k * shown + n] + j, values);
      }
    }
  }
  for (int64_t j = 0; j < count; j++) {
    const int64_t first = j * cells * shown;
    WRITTEN_OUT for (int i = 0; i < cells * shown; i++) {
      if (wide) {
        ((uint16_t *)pixels)[first + i] = (uint16_t)room->shown[i][j];
      } else {
        ((uint8_t *)pixels)[first + i] = (uint8_t)room->shown[i][j];
      }
    }
  }
}

/* Other numbers of channels than grey and colours have are seldom shown, nor are 16 bits: they are compiled once. */
TARGET static __attribute__((noinline)) void NAME(show_any)(const Painting *p, int cells, int64_t count,
                                                            NAME(Room) *room, void *pixels) {
  if (p->wide) {
    NAME(show)(p, cells, (int)p->shown, count, room, pixels, 1);
  } else {
    NAME(show)(p, cells, (int)p->shown, count, room, pixels, 0);
  }
}

TARGET ALWAYS_INLINE void NAME(paint_cells)(const Painting *p, int cells, void *picture) {
  NAME(Room) room;
  int64_t columns = p->width - p->left - p->right, shown = p->shown;
  /* The filling of a vector's end is computed with, though not shown. */
  memset(&room, 0, sizeof room);
  NAME(spread)(p->horizontal, cells, &room.across);
  for (int64_t first = 0; first < columns; first += PAINTING_TILE) {
    int64_t count = least(columns - first, PAINTING_TILE);
    for (int64_t row = p->top; row < p->height - p->bottom; row++) {
      int kind = (row == 0 ? 1 : 0) + (row + 1 == p->height ? 2 : 0);
      if (row == p->top || kind || row == 1) NAME(spread)(p->vertical + kind * cells * 24, cells, &room.down);
      NAME(down)(p, cells, row, p->left + first - 1, count + 2, &room);
      for (int s = 0; s < cells; s++) {
        for (int c = 0; c < MOST_CHANNELS; c++) {
          if (p->present >> (c * 8) & 255) NAME(across)(p, cells, c, s, first, count, &room);
        }
        int64_t place = (((row - p->top) * cells + s) * columns + first) * cells * shown;
        uint8_t *pixels = (uint8_t *)picture + place * (p->wide ? 2 : 1);
        if (shown == 1 && !p->wide) {
          NAME(show)(p, cells, 1, count, &room, pixels, 0);
        } else if (shown == 3 && !p->wide) {
          NAME(show)(p, cells, 3, count, &room, pixels, 0);
        } else {
          NAME(show_any)(p, cells, count, &room, pixels);
        }
      }
    }
  }
}

TARGET static void NAME(paint)(const Painting *p, void *picture) {
  if (p->cells == 8) NAME(paint_cells)(p, 8, picture);
  if (p->cells == 4) NAME(paint_cells)(p, 4, picture);
  if (p->cells == 2) NAME(paint_cells)(p, 2, picture);
  if (p->cells == 1) NAME(paint_cells)(p, 1, picture);
}

#undef PAINTING_TILE
#undef PAINTING_WIDTH
#undef NAME
#undef VECTOR
#undef LANES
#undef TARGET
