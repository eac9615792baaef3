/* From the scores of a photo's slices to lines of its pixels. */
#ifndef PCAI_PICTURE_H
#define PCAI_PICTURE_H

#include "plan.h"

/* The maps of a basis, of shape (3, 8, 16): from the components of two blocks to the samples around their border, of
 * groups that are the first, between blocks, the last, in units of 1. For groups between blocks there are halves of
 * shape (2, 8, 4), the weights of component u's sum and of its difference in the first four samples, if the maps are
 * `mirrored`. */
typedef struct {
  double maps[3 * 8 * 16], halves[64];
  int mirrored;
} Axis;

/* The maps down and along; the rotation of shape (C, C), from units of 2^-F to grey levels, and the mean (C,). */
typedef struct {
  const Axis *down, *along;
  const double *rotation, *mean;
  double scale, half_place;
  int64_t height, width, channels;
} Synthesis;

/* Makes the maps of a basis; returns whether magnitudes in a row sum up to what sums have room for. */
int make_axis(const int32_t *basis, Axis *axis);

/* The synthesis of planes by two axes, from coefficients in units of 1. */
Synthesis synthesis_of(const Axis *down, const Axis *along, int64_t height, int64_t width, int64_t channels);

/* Channels of a part of an image, before they are turned into pixels: from line `top` and column `left` on, lines
 * `pitch` numbers apart and channels `plane`. There are lines up to `end`. */
typedef struct {
  double *numbers;
  int64_t plane, pitch, top, end, left;
} Samples;

ALWAYS_INLINE double *sample_at(const Samples *samples, int64_t channel, int64_t y, int64_t x) {
  return samples->numbers + channel * samples->plane + (y - samples->top) * samples->pitch + x - samples->left;
}

/* Groups of a line that are worked on at once, whose numbers stay in the cache, and the blocks that they need. */
#define INVERSE_TILE 33
#define INVERSE_WIDTH (INVERSE_TILE + 1)

/* Components of the rows of blocks above and below a group, by turns, and of the group's lines. Most high frequencies
 * are silent: products are left out behind the last component along that is not, of so many in each row of blocks. */
typedef struct {
  double fixed[2][MOST_CHANNELS * 8][8][INVERSE_WIDTH];
  int present[2][MOST_CHANNELS * 8];
  double lines[8][MOST_CHANNELS * 8][INVERSE_WIDTH];
} InverseRoom;

/* Takes the row of blocks below a group, of which that above was taken before: blocks from `first` - 1 on, one more
 * than groups. Coefficients are those of the blocks that the image has, (C*64, blocks), `plane` numbers apart; NULL
 * stands for a row outside of the image. */
void take_row(const Synthesis *s, InverseRoom *room, int64_t group, int64_t first, int64_t count,
              const int32_t *coefficients, int64_t plane);

/* Samples of these groups, lines from 8 g - 4 to 8 g + 3 and columns likewise, all that lie in the image. */
void synthesise(const Synthesis *s, InverseRoom *room, int64_t group, int64_t first, int64_t count,
                const Samples *samples);

/* The same of whole lines, (C, lines, width), from coefficients of `held` rows of blocks from row `above` on, (C*64,
 * held, columns). Group g needs the rows of blocks g - 1 and g. The result begins with the first line of group
 * `start` that the image has. */
void synthesise_planes(const Synthesis *s, const int32_t *coefficients, int64_t held, int64_t above,
                       int64_t start, int64_t stop, double *planes);

/* Turns channels, `plane` numbers apart, into so many pixels of 8 or 16 bits, which are limited to `peak`. */
void finish_planes(const Synthesis *s, const double *planes, int64_t plane, int64_t count, double peak,
                   void *pixels, int wide);

/* Lets coefficients be in units of mantissa · 2^exponent of the channels' own. */
void scale_synthesis(Synthesis *s, int64_t mantissa, int64_t exponent);

/* Adding and taking away ROUNDING rounds what is within the limit to the nearest whole number, the even one of
 * two: exact only if the compiler neither fuses nor re-orders these, and keeps no more bits than a double has. */
#define ROUNDING 6755399441055744.0
#define ROUNDING_LIMIT 1073741824.0

ALWAYS_INLINE double whole(double value) { return (value + ROUNDING) - ROUNDING; }

ALWAYS_INLINE double bounded(double value, double low, double high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

/* Classes of a coefficient's size: a table of as many bytes is looked up by one instruction. */
#define SHRINK_SIZES 16

/* A pixel's correction depends on pixels up to so many lines and columns away. */
#define SHRINK_REACH 3

/* A photo whose scores are decoded: `scores` are those of each slice of so many rows, (k, rows, columns) of 16
 * or 32 bits, or NULL; `levels` those of all blocks. */
typedef struct {
  const PhotoPlan *plan;
  int64_t height, width, rows, columns, slice_rows;
  /* Whether pixels have 16 bits, and how large they are at most; the bits of their channels' fractions. */
  int wide, wide_scores, is_shrunk;
  int64_t white, fraction_bits;
  const void *const *scores;
  const int8_t *levels;
  /* And what it points to. */
  Synthesis synthesis;
  Axis axes[2];
  double rotation[MOST_CHANNELS * MOST_CHANNELS], mean[MOST_CHANNELS];
  /* Of shrinkage, by level and channel, of which those are shrunk that have a 1. Shares of coefficients: one in the
   * shrinkage's unit times its share, by band and class of sizes, is in 2^-16 of a sum's unit. Factors make classes of
   * sizes, in 2^-16, by the squared lengths 16, 40 and 100. The unit of the sums, and that of the shrinkage, are in
   * the planes' unit. */
  int16_t gains[MOST_LEVELS * MOST_CHANNELS * SHRINK_GAINS];
  uint16_t factors[MOST_LEVELS * MOST_CHANNELS * 3];
  uint8_t shrunk[MOST_CHANNELS];
  double scales[MOST_LEVELS * MOST_CHANNELS], units[MOST_LEVELS * MOST_CHANNELS], shrink_half_place;
} Picture;

/* Corrects lines `from` to `to` of an image, and columns `left` to `right`. */
void shrink_planes(const Picture *s, const Samples *samples, int64_t from, int64_t to, int64_t left, int64_t right,
                   const Samples *found);

/* The maps of a basis, from the components of two blocks to samples, (3, 8, 16) in units of 2^-16. Returns
 * whether magnitudes in a row sum up to what sums have room for. */
API int pcai_find_maps(const int32_t *basis, double *maps);

/* Makes a picture of a photo with channels and bases of the chunk M. Its header may have other sides, strengths
 * and slices than its plan's. Returns a fault if the chunk is damaged. */
int make_picture(Picture *picture, const PhotoPlan *plan, const Header *header, Bytes mean,
                 const void *const *scores, const int8_t *levels);

/* The memory that making lines `start` to `stop` takes, and the lines, from the first k components. The lines
 * are those of a picture that is reduced by 1, 2, 4 or 8. */
int64_t size_of_lines(const Picture *picture, int64_t start, int64_t stop, int64_t reduction);
void picture_lines(const Picture *picture, int64_t k, int64_t start, int64_t stop, int64_t reduction,
                   void *room, uint8_t *to, int64_t apart);

/* The coefficients of rows of blocks `above` to `below` from the first k components: (C * 64, below - above,
 * columns). Planes that are `skipped` are not found, if that is given. */
void find_coefficients(const Picture *picture, int64_t k, int64_t above, int64_t below, const uint8_t *skipped,
                       int32_t *result);

/* Lines of a reduced picture, as picture_lines; see reduced.c. */
int64_t size_of_reduced(const Picture *picture, int64_t start, int64_t stop, int64_t reduction);
void reduced_lines(const Picture *picture, int64_t k, int64_t start, int64_t stop, int64_t reduction,
                   void *room, uint8_t *to, int64_t apart);

/* The last lines that a row of blocks takes part in: so far it laps over the next one. */
ALWAYS_INLINE int64_t reach_of(const Picture *picture) { return 4 + (picture->is_shrunk ? SHRINK_REACH : 0); }

#endif
