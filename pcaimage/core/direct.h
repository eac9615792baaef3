/* Planes coded directly, with the least work: each band of a line is predicted by weights that its slice has in
 * front, and what is left is coded by distributions that do not adapt (format.md, section 5.9).
 *
 * Nothing that is expected of a line depends on the line itself, so all of it is found in vectors. */
#ifndef PCAI_DIRECT_H
#define PCAI_DIRECT_H

#include "curves.h"
#include "lanes.h"
#include "numbers.h"
#include "room.h"

enum {
  WEIGHTS = 16,
  CHANCE_BITS = 12,                    /* of symbols */
  EACH_SIDE = 31,                          /* to each side that are symbols */
  DIRECT_SYMBOLS = 64,                 /* the last is what is farther */
  SHAPES = 24,                         /* of distributions; the last four serve all larger ones */
  LARGEST_SHAPE = 131,
  SURROUNDINGS = 32,                          /* of surroundings */
  CODERS = 4,
  LOWEST_STATE = 1 << 16,
  LARGEST_WRONG = 4095,
};

/* For each shape and place in 2^12: the symbol, 6 bits, its chance, 12, and how far its first place is away. And the
 * first places of symbols. */
typedef struct {
  uint32_t places[SHAPES][1 << CHANCE_BITS];
  uint16_t first[SHAPES][DIRECT_SYMBOLS + 1];
} Shapes;

void make_shapes(const CurveTables *curves, Shapes *shapes);

ALWAYS_INLINE int shape_of(int size) { return size < SHAPES ? size : SHAPES - 4 + size % 4; }
ALWAYS_INLINE int shift_of(int size) { return size < SHAPES - 4 ? 0 : (size - SHAPES + 4) / 4; }

/* What a slice has in front for a band: the line above its first, how far differences and errors are shifted, the sizes
 * of distributions for each kind of surroundings, and weights in units of 2^-12. */
typedef struct {
  int32_t start;
  int difference_shift, wrong_shift;
  uint8_t sizes[SURROUNDINGS];
  int16_t weights[WEIGHTS];
} Parameters;

/* A band's last line: its numbers; for each place the difference to the one above and to the left, which are for
 * its own next line; errors, with a place on both sides. */
typedef struct {
  int32_t *numbers;
  int16_t *own, *wrong;
} Last;

/* Room for a line of a slice: that of each band, and of the two before what others take from them. */
typedef struct {
  int64_t columns, bands, room; /* numbers of a line, in multiples of eight */
  uint8_t *memory;
  int16_t *around[3]; /* the last is 0 everywhere */
  int32_t *expected;
  uint8_t *kinds;
} Direct;

ALWAYS_INLINE int64_t direct_room(int64_t columns) { return (columns + 7) / 8 * 8 + 16; }

/* Bytes that it takes, which must be cleared. */
ALWAYS_INLINE int64_t direct_size(int64_t columns, int64_t bands) {
  return direct_room(columns) * (10 * bands + 3 * 4 + 4 + 1);
}

ALWAYS_INLINE Direct direct_in(uint8_t *memory, int64_t columns, int64_t bands) {
  int64_t room = direct_room(columns);
  Direct direct = {.columns = columns, .bands = bands, .room = room, .memory = memory};
  memory += room * 10 * bands;
  for (int i = 0; i < 3; i++, memory += 4 * room) direct.around[i] = (int16_t *)(void *)memory;
  direct.expected = (int32_t *)(void *)memory;
  direct.kinds = memory + 4 * room;
  return direct;
}

ALWAYS_INLINE Last last_of(const Direct *direct, int64_t band) {
  uint8_t *memory = direct->memory + band * 10 * direct->room;
  return (Last){(int32_t *)(void *)memory, (int16_t *)(void *)(memory + 4 * direct->room) + 16,
                (int16_t *)(void *)(memory + 8 * direct->room) + 8};
}

/* What a band before, or none, adds to what is expected. */
ALWAYS_INLINE const int16_t *around_of(const Direct *direct, int64_t band) {
  return direct->around[band < 0 ? 2 : band % 2] + 16;
}

/* Numbers of 32 bits wrap. */
ALWAYS_INLINE int32_t difference(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

typedef uint32_t Unsigned __attribute__((vector_size(16)));

ALWAYS_INLINE Shorts shorts_at(const int16_t *from) {
  Shorts found;
  memcpy(&found, from, sizeof found);
  return found;
}

/* Finds what is expected of a line, less the one above, and the kinds of its surroundings. */
ALWAYS_INLINE void expect_line(const Direct *direct, int64_t band, const Parameters *given) {
  const Last last = last_of(direct, band);
  const int16_t *before = around_of(direct, band - 1), *second = around_of(direct, band - 2);
  const int16_t *places[WEIGHTS / 2] = {last.own, last.own + 2, before - 2, before, before + 2, second - 2, second,
                                       second + 2};
  /* No byte that is written is one of what the loops read. */
  uint8_t *restrict kinds = direct->kinds;
  const int16_t *up = last.wrong, *other = band ? last_of(direct, band - 1).wrong : last.wrong;
  Shorts weights[WEIGHTS / 2];
  for (int i = 0; i < WEIGHTS; i++) {
    for (int lane = i % 2; lane < 8; lane += 2) weights[i / 2][lane] = given->weights[i];
  }
  for (int64_t j = 0; j < direct->columns; j += 4) {
    Ints total = (Ints){0} + (1 << (CHANCE_BITS - 1));
    WRITTEN_OUT for (int i = 0; i < WEIGHTS / 2; i++) {
      total = (Ints)((Unsigned)total + (Unsigned)pair_products(shorts_at(places[i] + 2 * j), weights[i]));
    }
    total = (Ints)((Unsigned)(total >> CHANCE_BITS) << given->difference_shift);
    memcpy(direct->expected + j, &total, sizeof total);
  }
  for (int64_t j = 0, columns = direct->columns; j < columns; j++) {
    float sum = (float)(up[j - 1] + 2 * up[j] + up[j + 1] + other[j - 1] + 2 * other[j] + other[j + 1] + 2);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    kinds[j] = (uint8_t)((bits >> 22) - 254);
  }
}

/* Takes a line that is known, and how wrong what was expected of it was. */
ALWAYS_INLINE void know_line(const Direct *direct, int64_t band, const Parameters *given, const int32_t *numbers,
                             const int32_t *wrong) {
  const Last last = last_of(direct, band);
  int16_t *around = direct->around[band % 2] + 16;
  int64_t columns = direct->columns;
  int shift = given->difference_shift, wrong_shift = given->wrong_shift;
  for (int64_t j = 0; j < columns; j++) {
    int32_t up = difference(numbers[j], last.numbers[j]) >> shift;
    around[2 * j] = (int16_t)(up < -32767 ? -32767 : up > 32767 ? 32767 : up);
    around[2 * j + 1] = last.own[2 * j + 1];
  }
  for (int64_t j = 0; j < columns; j++) {
    int32_t back = difference(given->start, numbers[j]) >> shift;
    last.own[2 * j] = (int16_t)(back < -32767 ? -32767 : back > 32767 ? 32767 : back);
  }
  last.own[1] = 0;
  for (int64_t j = 1; j < columns; j++) {
    int32_t left = difference(numbers[j - 1], numbers[j]) >> shift;
    last.own[2 * j + 1] = (int16_t)(left < -32767 ? -32767 : left > 32767 ? 32767 : left);
  }
  for (int64_t j = 0; j < columns; j++) {
    uint32_t size = (wrong[j] < 0 ? 0 - (uint32_t)wrong[j] : (uint32_t)wrong[j]) >> wrong_shift;
    last.wrong[j] = (int16_t)(size < LARGEST_WRONG ? size : LARGEST_WRONG);
    last.numbers[j] = numbers[j];
  }
  last.wrong[-1] = last.wrong[0];
  last.wrong[columns] = last.wrong[columns - 1];
  last.own[2 * columns] = last.own[2 * columns - 2];
  around[-2] = around[0], around[-1] = around[1];
  around[2 * columns] = around[2 * columns - 2];
  last.own[2 * columns + 1] = around[2 * columns + 1] = 0;
}

/* Makes ready for the first line of a slice. */
ALWAYS_INLINE void begin_band(const Direct *direct, int64_t band, const Parameters *given) {
  const Last last = last_of(direct, band);
  for (int64_t j = 0; j < direct->columns; j++) last.numbers[j] = given->start;
}

#endif
