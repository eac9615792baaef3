/* Drawn tiles: squares are predicted from decoded neighbours, along a direction, and corrected by a transform.
 *
 * A tile of 64 x 64 samples is divided into squares of 32 to 4 samples. Each is predicted from the samples above
 * it and to its left, in all channels; what is missing is transformed and quantised. A clean edge between smooth
 * grounds goes on in its direction: that costs a few bits, where every lapped block that it crosses pays for it
 * again.
 *
 * All numbers are whole: samples of the turned channels in sixteenths of a grey level, so that every machine draws
 * the same. One function writes, reads and counts bits. What is drawn is shrunk as what is transformed, with strengths
 * of each slice.
 *
 * J. Lainema, F. Bossen, W.-J. Han, J. Min, K. Ugur, "Intra coding of the HEVC standard", IEEE Trans. Circuits
 * and Systems for Video Technology 22(12), 2012.
 */
#ifndef PCAI_PREDICTED_H
#define PCAI_PREDICTED_H

#include "mixing.h"
#include "numbers.h"
#include "picture.h"
#include "pixels.h"

/* Sides of tiles, and of the largest and the smallest squares, as powers of two. */
enum { LOG_TILE = 6, LOG_LARGEST = 5, LOG_LEAST = 2, LARGEST_SIDE = 1 << LOG_LARGEST };

/* Samples are in 2^-4 grey levels, entries of transforms in 2^-14. */
enum { SAMPLE_BITS = 4, ENTRY_BITS = 14, MOST_SAMPLE = 8191, MOST_COEFFICIENT = 1 << 20 };

/* How a square is predicted: from three sides, by a mean, and along one of 65 directions, of which the last third
 * of a turn goes from below left (2) over the left (18), above left (34) and above (50) to above right (66). */
enum { PLANAR, MEAN, FIRST_DIRECTION, LEFTWARDS = 18, DIAGONAL = 34, UPWARDS = 50, LAST_DIRECTION = 66, MODES };

/* What models have learnt from at first, and limits of it, sizes in unary, and modes that are likely; the least strength,
 * of 32, is as far below zero. */
enum { LEARNT = 10, QUICK = 20, SLOW = 255, LONGEST = 14, LIKELY_MODES = 6, LEAST_STRENGTH = 16 };

/* Models, each of two words: one that learns quickly and one that learns slowly. */
enum {
  LAST_SIZES = 2 * LOG_LARGEST - 1,
  OF_TILES = 0,
  OF_SPLITS = OF_TILES + 4,
  OF_LIKELY = OF_SPLITS + 3,
  OF_MODES = OF_LIKELY + LIKELY_MODES,
  OF_SOURCES = OF_MODES + 128,
  OF_CODED = OF_SOURCES + MOST_CHANNELS,
  OF_SINES = OF_CODED + 4 * MOST_CHANNELS,
  OF_LAST = OF_SINES + 3,
  OF_ZERO = OF_LAST + 4 * 2 * 2 * LAST_SIZES,
  OF_ONE = OF_ZERO + 2 * 2 * 4 * 12,
  OF_TWO = OF_ONE + 2 * 4 * 12,
  OF_MORE = OF_TWO + 2 * 4 * 12,
  OF_LEVELS = OF_MORE + 2 * 4 * LONGEST,
  MODELS_OF_SQUARES = OF_LEVELS + MOST_LEVELS
};

/* What happens to a decision. */
enum { READING, WRITING, COUNTING };

/* Samples of some lines of an image, in whole tiles: planes of all channels; which squares of the least side are
 * known, and their modes; what is learned, and for counting the bits of each model's decisions. Lines and columns
 * are multiples of a tile's side. Steps are those of the tile, by channel and frequency, as of a photo's components
 * (format.md, P9). For showing there are a picture, levels of blocks, and samples of a row of tiles, with what shrinkage
 * needs around, as they are and shrunk. */
typedef struct {
  const PhotoPlan *plan;
  int64_t lines, columns, channels;
  int32_t step, steps[MOST_PLANES];
  int16_t *planes;
  uint8_t *known, *modes;
  uint32_t models[2 * MODELS_OF_SQUARES];
  int16_t waves[4][LARGEST_SIDE * LARGEST_SIDE], sines[3][256];
  uint8_t places[4][LARGEST_SIDE * LARGEST_SIDE][2];
  int32_t levels[MOST_CHANNELS][LARGEST_SIDE * LARGEST_SIDE];
  int32_t rates[256];
  RangeCoder *coder;
  const float (*prices)[2];
  float bits;
  Picture *picture;
  int8_t *levels_of_blocks;
  double *samples, *shrunk;
} Drawing;

/* A square: where it is, its side's logarithm, and what is said of it. Other channels are predicted as the first,
 * or by it: by a line through the samples around of both. Levels are those of each channel. */
typedef struct {
  int64_t x, y;
  int log;
  uint8_t mode, is_sine, by_first[MOST_CHANNELS];
  int32_t *levels[MOST_CHANNELS];
} Square;

/* Samples above a square, from the corner on, and to its left: twice as many as its side. */
typedef struct {
  int32_t above[2 * LARGEST_SIDE + 1], left[2 * LARGEST_SIDE + 1];
} Around;

/* Codes the level of a tile's steps, by those to the left and above, if these are coded: levels of tiles are one more,
 * and zero if they are not. Makes steps of it, and returns it. */
int code_tile_level(Drawing *drawing, int left, int above, int level, int what);

/* Says whether squares of so many samples from a place on are known, and their mode. */
void mark(Drawing *drawing, int64_t x, int64_t y, int64_t side, int known, int mode);

void look_around(const Drawing *drawing, int64_t channel, int64_t x, int64_t y, int64_t side, Around *around);
void draw(int mode, int64_t side, const Around *around, int16_t *found);

/* Predicts a channel by another that is drawn already. */
void draw_by_first(const Drawing *drawing, int64_t channel, int64_t x, int64_t y, int64_t side, int16_t *found);

/* The modes that are likely by those to the left and above, of which all differ. */
void likely_modes(const Drawing *drawing, int64_t x, int64_t y, int64_t side, uint8_t likely[LIKELY_MODES]);

/* Draws a square whose levels are known, and marks it. */
void draw_square(Drawing *drawing, const Square *square);

/* Strengths of the shrinkage, of which each channel has two. */
void code_strengths(Drawing *drawing, int8_t *strengths, int what);

/* Turns samples to pixels: `coded` are one more than the levels of tiles, 0 of those that are not drawn; the header, with
 * the strengths, is that of the slice, and `mean` a chunk M that is whole. */
void show_drawing(const Drawing *drawing, const Header *header, Bytes mean, const uint8_t *coded, uint8_t *pixels);

/* Divides memory up for the samples of some lines; returns how much that is, and only counts if there is none. */
int64_t divide_drawing(uint8_t *memory, const PhotoPlan *plan, int64_t lines, int64_t width, int64_t channels,
                       Drawing **drawing);

/* The memory that decoding the tiles of some lines takes, and decoding them, as of others: see exact.h. The channels
 * are those of a chunk M that is whole. */
API int64_t pcai_drawing_size(int64_t lines, int64_t width, int64_t channels);
int decode_drawn(const pcai *file, const PhotoPlan *plan, Bytes stream, int64_t lines, uint8_t *coded,
                 uint8_t *pixels);

/* The component whose step a frequency has: that of the same frequency in squares of eight. */
ALWAYS_INLINE int plane_of_wave(int64_t channel, int log, int u, int v) {
  return (int)(64 * channel) + 8 * (8 * u >> log) + (8 * v >> log);
}

/* ---- Decisions ---- */

ALWAYS_INLINE int64_t chance_of_models(const Drawing *d, int model) {
  const uint32_t *words = d->models + 2 * model;
  return within((((words[0] >> 16) + (words[1] >> 16)) >> 1), 64, ONE - 64);
}

ALWAYS_INLINE int ask(Drawing *d, int model, int bit, int what) {
  if (what == COUNTING) {
    d->bits += d->prices[model][bit];
    return bit;
  }
  uint32_t *words = d->models + 2 * model;
  bit = range_code(d->coder, chance_of_models(d, model), bit, what == READING);
  words[0] = taught(words[0], bit, d->rates, QUICK);
  words[1] = taught(words[1], bit, d->rates, SLOW);
  return bit;
}

/* Bits that are as likely 0 as 1. */
ALWAYS_INLINE int plain_bits(Drawing *d, int value, int count, int what) {
  if (what == COUNTING) {
    d->bits += (float)count;
    return value;
  }
  int found = 0;
  for (int i = count - 1; i >= 0; i--) {
    found = 2 * found + range_code(d->coder, ONE / 2, (value >> i) & 1, what == READING);
  }
  return found;
}

/* A number up to a limit, as so many ones and a zero. */
ALWAYS_INLINE int unary(Drawing *d, int model, int value, int limit, int what) {
  int found = 0;
  while (found < limit && ask(d, model + found, value > found, what)) found++;
  return found;
}

ALWAYS_INLINE int code_mode(Drawing *d, const uint8_t likely[LIKELY_MODES], int mode, int what) {
  int place = 0, tree = 1;
  if (what != READING) {
    while (place < LIKELY_MODES && likely[place] != mode) place++;
  }
  if (ask(d, OF_LIKELY, place < LIKELY_MODES, what)) {
    return likely[unary(d, OF_LIKELY + 1, place, LIKELY_MODES - 1, what)];
  }
  for (int i = 6; i >= 0; i--) tree = 2 * tree + ask(d, OF_MODES + tree, (mode >> i) & 1, what);
  return (int)least(tree - 128, LAST_DIRECTION);
}

/* Sums of sizes, each up to five, of the levels to the right and below that are known of a square: two more lines and
 * columns come before the first. */
typedef struct {
  uint8_t sums[(LARGEST_SIDE + 2) * (LARGEST_SIDE + 2)];
} Near;

ALWAYS_INLINE int near_at(const Near *near, int side, int x, int y) { return near->sums[(y + 2) * (side + 2) + x + 2]; }

ALWAYS_INLINE void note_level(Near *near, int side, int x, int y, int32_t level) {
  uint8_t *here = near->sums + (y + 2) * (side + 2) + x + 2, size = (uint8_t)least(magnitude_of(level), 5);
  here[-1] += size;
  here[-2] += size;
  here[-side - 2] += size;
  here[-2 * side - 4] += size;
  here[-side - 3] += size;
}

/* A level that is not the last, or, if `is_last`, one that is not zero. */
ALWAYS_INLINE int code_level(Drawing *d, int level, int log, int coloured, int x, int y, int near, int is_last,
                             int what) {
  const int apart = x + y, band = apart < 2 ? 0 : apart < 5 ? 1 : apart < 10 ? 2 : 3;
  const int some = (int)least(near, 11), place = (4 * coloured + band) * 12 + some;
  int size = (int)magnitude_of(level);
  if (!is_last && !ask(d, OF_ZERO + ((2 * coloured + (log > 3)) * 4 + band) * 12 + some, size > 0, what)) return 0;
  if (!ask(d, OF_ONE + place, size > 1, what)) {
    size = 1;
  } else if (!ask(d, OF_TWO + place, size > 2, what)) {
    size = 2;
  } else {
    const int busy = near > 12 ? 3 : near > 8 ? 2 : near > 5 ? 1 : 0;
    int more = unary(d, OF_MORE + (4 * coloured + busy) * LONGEST, (int)least(size - 3, LONGEST), LONGEST, what);
    if (more == LONGEST) {
      const int rest = size - 3 - LONGEST + 1, last = what == READING ? 0 : digits(rest) - 1;
      int length = 0;
      while (length < 16 && plain_bits(d, length < last, 1, what)) length++;
      more += (1 << length) - 1 + plain_bits(d, rest - (1 << length), length, what);
    }
    size = 3 + more;
  }
  return plain_bits(d, level < 0, 1, what) ? -size : size;
}

/* Where the last coefficient lies along an axis: two sizes for each octave, and what these leave open. */
ALWAYS_INLINE int code_last(Drawing *d, int place, int log, int model, int what) {
  const int octave = digits(place) - 1;
  const int size = place < 4 ? place : 2 * octave + ((place >> (octave - 1)) & 1);
  const int found = unary(d, model, size, 2 * log - 1, what), open = found < 4 ? 0 : found / 2 - 1;
  const int first = found < 4 ? found : (2 + found % 2) << open;
  return first + plain_bits(d, place - first, open, what);
}

/* The levels of a channel of a square, from the highest frequency on; returns whether there are any. Sines are
 * asked for in the first channel alone. Levels are zero before they are read. */
ALWAYS_INLINE int code_rest(Drawing *d, int32_t *levels, int log, int channel, uint8_t *is_sine, int what) {
  const int side = 1 << log, coloured = channel > 0;
  const uint8_t(*places)[2] = (const uint8_t(*)[2])d->places[log - LOG_LEAST];
  int last = -1;
  Near near;
  if (what != READING) {
    for (last = side * side - 1; last >= 0 && !levels[places[last][1] * side + places[last][0]];) last--;
  }
  if (!ask(d, OF_CODED + 4 * channel + log - LOG_LEAST, last >= 0, what)) return 0;
  if (channel == 0 && log < LOG_LARGEST) *is_sine = (uint8_t)ask(d, OF_SINES + log - LOG_LEAST, *is_sine, what);
  const int model = OF_LAST + (2 * (log - LOG_LEAST) + coloured) * 2 * LAST_SIZES, end = last < 0 ? 0 : last;
  const int x = code_last(d, places[end][0], log, model, what);
  const int y = code_last(d, places[end][1], log, model + LAST_SIZES, what);
  if (what == READING) {
    for (last = 0; places[last][0] != x || places[last][1] != y;) last++;
  }
  memset(&near, 0, (size_t)((side + 2) * (side + 2)));
  for (int i = last; i >= 0; i--) {
    const int column = places[i][0], line = places[i][1];
    int32_t *level = levels + line * side + column;
    *level = code_level(d, *level, log, coloured, column, line, near_at(&near, side, column, line), i == last, what);
    if (*level) note_level(&near, side, column, line, *level);
  }
  return 1;
}

/* All that is said of a square but whether it is divided. */
ALWAYS_INLINE void code_square(Drawing *d, Square *square, int what) {
  uint8_t likely[LIKELY_MODES];
  likely_modes(d, square->x, square->y, INT64_C(1) << square->log, likely);
  square->mode = (uint8_t)code_mode(d, likely, square->mode, what);
  for (int64_t channel = 0; channel < d->channels; channel++) {
    uint8_t *by_first = square->by_first + channel;
    if (channel > 0) *by_first = (uint8_t)ask(d, OF_SOURCES + (int)channel, *by_first, what);
    code_rest(d, square->levels[channel], square->log, (int)channel, &square->is_sine, what);
  }
}

#endif
