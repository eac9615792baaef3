/* From coefficients to what a screen shows: averages of pixels, of the components that matter, in bytes. */
#include "painting.h"

#include "products.h"
#include "wide.h"

/* Blocks of a row that are worked on at once: their numbers stay in the cache. And the blocks on both sides. */
#define PAINTING_TILE 64
#define PAINTING_WIDTH (PAINTING_TILE + 2)

#define LINES (8 * MOST_CHANNELS)

SHARED(Painting);

/* Weights of components in a block's averages: the first half of these depend on the block itself and the one before,
 * the others on the block itself and the one behind. A single average depends on all three. */
typedef struct {
  float first[64 * MOST_CHANNELS * 8], last[64 * MOST_CHANNELS * 8];
} PaintingWeights;

typedef struct {
  PaintingWeights down, across[MOST_CHANNELS];
  float lines[8][LINES][PAINTING_WIDTH];
  float turned[MOST_CHANNELS][8][PAINTING_TILE];
} PaintingRoom;

/* Weights of a component in half of the averages, or in all of them. */
static int64_t stride_of(int cells) { return cells == 1 ? 3 : cells; }

/* Puts the weights of component u where the n-th component has them. */
static void put_weights(const float *map, int cells, int64_t u, int64_t n, PaintingWeights *weights) {
  const int half = cells / 2;
  float *first = weights->first + n * stride_of(cells), *last = weights->last + n * stride_of(cells);
  for (int s = 0; s < cells; s++, map += 24) {
    if (cells == 1) {
      first[0] = map[8 + u];
      first[1] = map[u];
      first[2] = map[16 + u];
    } else if (s < half) {
      first[s] = map[8 + u];
      first[half + s] = map[u];
    } else {
      last[s - half] = map[8 + u];
      last[s] = map[16 + u];
    }
  }
}

/* Averages within some blocks, `apart` numbers from each other, from components whose weights begin with the n-th:
 * from where these begin, and at given distances for the blocks before and behind. */
static void average(int cells, const PaintingWeights *weights, int64_t n, const float *const *places, int components,
                    int64_t before, int64_t behind, int64_t count, float *averages, int64_t apart) {
  const float *lines[3 * 8], *first = weights->first + n * stride_of(cells);
  const int half = cells / 2, kinds = cells == 1 ? 3 : 2;
  for (int c = 0; c < components; c++) {
    lines[kinds * c] = places[c];
    lines[kinds * c + 1] = places[c] + before;
    if (kinds == 3) lines[3 * c + 2] = places[c] + behind;
  }
  sum_floats(lines, kinds * components, first, (int)most(half, 1), count, averages, apart);
  if (half == 0) return;
  for (int c = 0; c < components; c++) lines[2 * c + 1] = places[c] + behind;
  sum_floats(lines, 2 * components, weights->last + n * stride_of(cells), half, count, averages + half * apart, apart);
}

/* Horizontal components of all lines of averages of a row of blocks; outside of the image there are zeros. */
static void average_down(const Painting *p, int cells, int64_t row, int64_t first, int64_t count,
                         PaintingRoom *room) {
  int64_t width = p->width, start = most(-first, 0), stop = least(width - first, count);
  int64_t before = row > 0 ? -width : 0, behind = row + 1 < p->height ? width : 0;
  for (int64_t index = 0; index < p->components;) {
    const float *places[8];
    int64_t line = p->lines[2 * index], found = 0;
    for (; index + found < p->components && p->lines[2 * (index + found)] == line && found < 8; found++) {
      places[found] = p->values + ((index + found) * p->height + row) * width + first + start;
    }
    average(cells, &room->down, index, places, (int)found, before, behind, stop - start,
            room->lines[0][line] + start, LINES * PAINTING_WIDTH);
    index += found;
    for (int s = 0; s < cells; s++) {
      for (int64_t i = 0; i < start; i++) room->lines[s][line][i] = 0.0f;
      for (int64_t i = stop; i < count; i++) room->lines[s][line][i] = 0.0f;
    }
  }
}

/* Averages of a channel's principal component in a line of a row of blocks. */
static void average_along(const Painting *p, int cells, int channel, int line, int64_t first, int64_t count,
                          PaintingRoom *room) {
  const int64_t columns = p->width - p->left - p->right;
  const float *places[8];
  int which[8], found = 0;
  for (int v = 0; v < 8; v++) {
    if (!(p->present >> (channel * 8 + v) & 1)) continue;
    places[found] = room->lines[line][channel * 8 + v] + 1;
    which[found++] = v;
  }
  float *turned = room->turned[channel][0];
  average(cells, room->across + channel, 0, places, found, -1, 1, count, turned, PAINTING_TILE);
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
      turned[k * PAINTING_TILE + j] = total;
    }
  }
}

/* Turns the channels' principal components into a line of the picture, up to its limit. */
ALWAYS_INLINE void show_line(const Painting *p, int cells, int shown, int64_t count,
                             const float (*turned)[8][PAINTING_TILE], void *pixels, int wide) {
  const float limit = (float)p->limit;
  int32_t found[8 * MOST_CHANNELS][PAINTING_TILE];
  for (int i = 0; i < cells * shown; i++) {
    const int n = i % shown, k = i / shown;
    const float *weights = p->rotation + n;
    for (int64_t j = 0; j < PAINTING_TILE; j++) {
      float value = p->offset[n];
      WRITTEN_OUT for (int c = 0; c < MOST_CHANNELS; c++) value += weights[c * shown] * turned[c][k][j];
      value = value > 0.0f ? value : 0.0f;
      found[i][j] = (int32_t)(value < limit ? value : limit);
    }
  }
  for (int64_t j = 0; j < count; j++) {
    const int64_t first = j * cells * shown;
    WRITTEN_OUT for (int i = 0; i < cells * shown; i++) {
      if (wide) {
        ((uint16_t *)pixels)[first + i] = (uint16_t)found[i][j];
      } else {
        ((uint8_t *)pixels)[first + i] = (uint8_t)found[i][j];
      }
    }
  }
}

/* Most pixels have three bytes, and many are in a block. */
ALWAYS_INLINE void show_any(const Painting *p, int cells, int64_t count, const float (*turned)[8][PAINTING_TILE],
                            void *pixels) {
  if (p->wide) {
    show_line(p, cells, (int)p->shown, count, turned, pixels, 1);
  } else if (cells == 8 && p->shown == 3) {
    show_line(p, 8, 3, count, turned, pixels, 0);
  } else {
    show_line(p, cells, (int)p->shown, count, turned, pixels, 0);
  }
}

EITHER_WIDTH(static, show, show_any,
             (const Painting *p, int cells, int64_t count, const float (*turned)[8][PAINTING_TILE], void *pixels),
             (p, cells, count, turned, pixels))

API void pcai_paint(const Painting *p, void *picture) {
  PaintingRoom room;
  /* What is behind the last blocks is computed with, though not shown. */
  memset(room.turned, 0, sizeof room.turned);
  const int cells = (int)p->cells;
  const int64_t columns = p->width - p->left - p->right;
  for (int line = 0, n = 0; line < LINES; line++) {
    if (line % 8 == 0) n = 0;
    if (p->present >> line & 1) put_weights(p->horizontal, cells, line % 8, n++, room.across + line / 8);
  }
  for (int64_t first = 0; first < columns; first += PAINTING_TILE) {
    int64_t count = least(columns - first, PAINTING_TILE);
    for (int64_t row = p->top; row < p->height - p->bottom; row++) {
      int kind = (row == 0 ? 1 : 0) + (row + 1 == p->height ? 2 : 0);
      for (int64_t i = 0; i < p->components && (row == p->top || kind || row == 1); i++) {
        put_weights(p->vertical + kind * cells * 24, cells, p->lines[2 * i + 1], i, &room.down);
      }
      average_down(p, cells, row, p->left + first - 1, count + 2, &room);
      for (int s = 0; s < cells; s++) {
        for (int c = 0; c < MOST_CHANNELS; c++) {
          if (p->present >> (c * 8) & 255) average_along(p, cells, c, s, first, count, &room);
        }
        int64_t place = (((row - p->top) * cells + s) * columns + first) * cells * p->shown;
        show(p, cells, count, room.turned, (uint8_t *)picture + place * (p->wide ? 2 : 1));
      }
    }
  }
}
