/* Reduced pictures of a photo: means over squares of 2, 4 or 8 pixels along a side.
 *
 * Means of pixels are those of components, which are averaged instead: a block's mean depends on few of its
 * components, and of those that hardly tell nothing is found. Shrinkage is left out, and what is limited are
 * means instead of pixels, so that a value may differ where the whole picture is beyond black or white.
 */
#include "painting.h"
#include "picture.h"
#include "room.h"

/* Rows of blocks that are made at once. */
#define ROWS_AT_ONCE 8

/* The share of a component in a pixel below which it is left out. Of blocks that reach out of the photo there
 * are none: means over less than a block have something of all components. */
#define NEGLIGIBLE 0.002

/* What a few rows of blocks need: coefficients of all components, those that are chosen, and their pixels. */
typedef struct {
  int32_t *found;
  float *values;
  uint8_t *pixels;
} ReducedRoom;

/* The maps of painting.h, and the chosen components. */
typedef struct {
  float vertical[4 * 4 * 24], horizontal[4 * 4 * 24], rotation[MOST_CHANNELS * MOST_CHANNELS],
      offset[MOST_CHANNELS];
  int64_t lines[2 * MOST_PLANES], planes[MOST_PLANES], present, count;
  uint8_t skipped[MOST_PLANES];
} Reduced;

/* The averages of a block's pixels, of which so many are in the image, in cells; from the components of three
 * blocks. Maps are those of pcai_find_maps in units of 1. */
static void average(const double *maps, int first, int last, int64_t present, int64_t cells, double unit,
                    float *averages) {
  const double *before = maps + (first ? 0 : 1) * 128 + 4 * 16, *behind = maps + (last ? 2 : 1) * 128;
  for (int64_t cell = 0; cell < cells; cell++, averages += 24) {
    int64_t start = cell * 8 / cells, stop = least(start + 8 / cells, present);
    for (int i = 0; i < 24; i++) {
      double total = 0;
      for (int64_t s = start; s < stop; s++) {
        if (s < 4 && i < 16) total += before[16 * s + i];
        if (s >= 4 && i >= 8) total += behind[16 * (s - 4) + i - 8];
      }
      averages[i] = stop > start ? (float)(total / (double)(stop - start) * unit) : 0;
    }
  }
}

/* The averages of blocks that are neither first nor last, first, last, and both. */
static void average_all(const double *maps, int64_t side, int64_t cells, double unit, float *averages) {
  for (int kind = 0; kind < 4; kind++) {
    int64_t present = kind & 2 ? side - (side - 1) / 8 * 8 : 8;
    average(maps, kind & 1, kind >> 1, present, cells, unit, averages + kind * cells * 24);
  }
}

/* The largest share of a component of an axis in averages of all kinds. */
static double share_of(const float *averages, int64_t cells, int u) {
  double largest = 0;
  for (int64_t cell = 0; cell < 4 * cells; cell++) {
    double share = 0;
    for (int block = 0; block < 3; block++) {
      float each = averages[cell * 24 + 8 * block + u];
      share += each < 0 ? -each : each;
    }
    largest = share > largest ? share : largest;
  }
  return largest;
}

static void choose(const Picture *picture, int64_t cells, double unit, Reduced *reduced) {
  reduced->count = reduced->present = 0;
  for (int64_t line = 0; line < 8 * picture->plan->channels; line++) {
    for (int64_t u = 0; u < 8; u++) {
      int64_t v = line % 8, plane = line / 8 * 64 + 8 * u + v;
      double share = share_of(reduced->vertical, cells, (int)u) / unit;
      share *= share_of(reduced->horizontal, cells, (int)v);
      reduced->skipped[plane] = u + v > 0 && share < NEGLIGIBLE;
      if (reduced->skipped[plane]) continue;
      reduced->lines[2 * reduced->count] = line;
      reduced->lines[2 * reduced->count + 1] = u;
      reduced->planes[reduced->count++] = plane;
      reduced->present |= INT64_C(1) << line;
    }
  }
}

static void prepare(const Picture *picture, int64_t cells, Reduced *reduced) {
  const Synthesis *s = &picture->synthesis;
  const double unit = step_of(&picture->plan->header) / (1 << COEFFICIENT_BITS);
  average_all(s->down->maps, s->height, cells, unit, reduced->vertical);
  average_all(s->along->maps, s->width, cells, 1, reduced->horizontal);
  memset(reduced->rotation, 0, sizeof reduced->rotation);
  for (int64_t c = 0; c < s->channels; c++) {
    reduced->offset[c] = (float)(s->mean[c] + 0.5);
    for (int64_t p = 0; p < s->channels; p++) {
      double entry = s->rotation[p * s->channels + c] * power_of_two(picture->fraction_bits);
      reduced->rotation[p * s->channels + c] = (float)entry;
    }
  }
  choose(picture, cells, unit, reduced);
}

static int64_t rows_at_once(int64_t start, int64_t stop, int64_t cells) {
  return least((stop - start) / cells + 2, ROWS_AT_ONCE);
}

/* Divides memory up for so many rows of blocks. */
static ReducedRoom divide(const Picture *picture, int64_t rows, int64_t cells, Room *room) {
  const int64_t channels = picture->plan->channels, held = least(rows + 2, picture->rows);
  const int64_t area = 64 * channels * held * picture->columns * (int64_t)sizeof(int32_t);
  ReducedRoom found;
  found.found = part_of(room, area);
  found.values = part_of(room, area);
  found.pixels = part_of(room, rows * cells * picture->columns * cells * channels * (picture->wide ? 2 : 1));
  return found;
}

int64_t size_of_reduced(const Picture *picture, int64_t start, int64_t stop, int64_t reduction) {
  const int64_t cells = 8 / reduction;
  Room room = {NULL, 0};
  divide(picture, rows_at_once(start, stop, cells), cells, &room);
  return size_of_room(&room);
}

/* Makes some rows of blocks. */
static void paint_rows(const Picture *picture, const Reduced *reduced, int64_t k, int64_t first, int64_t last,
                       int64_t cells, const ReducedRoom *room) {
  const int64_t above = most(first - 1, 0), below = least(last + 1, picture->rows), held = below - above;
  const int64_t area = held * picture->columns;
  find_coefficients(picture, k, above, below, reduced->skipped, room->found);
  for (int64_t i = 0; i < reduced->count; i++) {
    const int32_t *plane = room->found + reduced->planes[i] * area;
    float *values = room->values + i * area;
    for (int64_t j = 0; j < area; j++) values[j] = (float)plane[j];
  }
  const Painting painting = {.vertical = reduced->vertical, .horizontal = reduced->horizontal,
                             .rotation = reduced->rotation, .offset = reduced->offset, .values = room->values,
                             .lines = reduced->lines, .present = reduced->present, .cells = cells,
                             .shown = picture->plan->channels, .components = reduced->count, .height = held,
                             .width = picture->columns, .top = first - above, .bottom = below - last,
                             .limit = picture->white,
                             .wide = picture->wide};
  pcai_paint(&painting, room->pixels);
}

void reduced_lines(const Picture *picture, int64_t k, int64_t start, int64_t stop, int64_t reduction,
                   void *memory, uint8_t *to, int64_t apart) {
  const int64_t cells = 8 / reduction, step = rows_at_once(start, stop, cells),
                end = (stop + cells - 1) / cells;
  const int64_t pixel = picture->plan->channels * (picture->wide ? 2 : 1);
  const int64_t line = picture->columns * cells * pixel;
  const int64_t width = (picture->width + reduction - 1) / reduction * pixel;
  Reduced reduced;
  Room whole = room_in(memory);
  const ReducedRoom room = divide(picture, step, cells, &whole);
  prepare(picture, cells, &reduced);
  for (int64_t first = start / cells; first < end; first += step) {
    int64_t last = least(first + step, end);
    paint_rows(picture, &reduced, k, first, last, cells, &room);
    for (int64_t y = most(first * cells, start); y < least(last * cells, stop); y++) {
      memcpy(to + (y - start) * apart, room.pixels + (y - first * cells) * line, (size_t)width);
    }
  }
}
