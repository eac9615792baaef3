#include "picture.h"
#include "room.h"

/* Rows of blocks that are made at once, and blocks of each: what they need stays in the cache. */
enum { MADE_ROWS = 4, MADE_LINES = 8 * (MADE_ROWS + 1), MADE_COLUMNS = INVERSE_TILE - 1 };

/* Bits of entries of bases and rotations, and of maps. */
enum { BASIS_BITS = 14, MAP_BITS = 16, LAPPING_BITS = 31 };

/* Magnitudes of a map's row sum up to less. */
#define MOST_IN_ROW (1 << 19)

/* ---- Maps ---- */

/* The lapping of a group between two blocks, in 2^-31. */
static void find_lapping(int64_t lapping[8][8]) {
  static const int64_t V[4][4] = {{866776872, 600616264, 154224415, 130745146},
                                  {-613916201, 750763410, 452493912, 87361113},
                                  {130745146, -477068992, 923460842, 235483465},
                                  {-87361113, -30677143, -267592354, 1035732970}};
  int64_t turned[8][8];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 8; j++) {
      /* Q diag(2^30, V): rows are sums and differences of mirrored samples. */
      int64_t even = j < 4 ? (int64_t)(i == j) << 30 : 0;
      int64_t odd = j < 4 ? 0 : V[3 - i][j - 4];
      turned[i][j] = even + odd;
      turned[7 - i][j] = even - odd;
    }
  }
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 4; j++) {
      lapping[i][j] = turned[i][j] + turned[i][7 - j];
      lapping[i][7 - j] = turned[i][j] - turned[i][7 - j];
    }
  }
}

API int pcai_find_maps(const int32_t *basis, double *maps) {
  const int shift = LAPPING_BITS + BASIS_BITS - MAP_BITS;
  int64_t lapping[8][8];
  int fine = 1;
  find_lapping(lapping);
  for (int row = 0; row < 3 * 8; row++, maps += 16) {
    int kind = row / 8, s = row % 8;
    double total = 0;
    for (int u = 0; u < 8; u++) {
      int64_t sums[2] = {0, 0};
      for (int a = 0; a < 8; a++) {
        int64_t weight = kind == 1 ? lapping[a][s] : (int64_t)(a == s) << LAPPING_BITS;
        sums[a / 4] += weight * basis[8 * u + (a + 4) % 8];
      }
      if (kind == 0) sums[0] = 0;
      if (kind == 2) sums[1] = 0;
      for (int i = 0; i < 2; i++) {
        maps[8 * i + u] = (double)((sums[i] + (INT64_C(1) << (shift - 1))) >> shift);
        total += maps[8 * i + u] < 0 ? -maps[8 * i + u] : maps[8 * i + u];
      }
    }
    fine &= total < MOST_IN_ROW;
  }
  return fine;
}

int make_axis(const int32_t *basis, Axis *axis) {
  const double *inner = axis->maps + 8 * 16;
  const int fine = pcai_find_maps(basis, axis->maps);
  axis->mirrored = 1;
  for (int i = 0; i < 3 * 8 * 16; i++) axis->maps[i] *= 1.0 / (1 << MAP_BITS);
  /* The butterfly form of the map of groups between blocks. */
  for (int r = 0; r < 8; r++) {
    for (int u = 0; u < 8; u++) {
      double before = inner[16 * r + u], behind = u % 2 ? -inner[16 * r + 8 + u] : inner[16 * r + 8 + u];
      axis->mirrored &= inner[16 * (7 - r) + u] == behind;
      if (r > 3) continue;
      axis->halves[4 * u + r] = (before + behind) / 2;
      axis->halves[32 + 4 * u + r] = (before - behind) / 2;
    }
  }
  return fine;
}

Synthesis synthesis_of(const Axis *down, const Axis *along, int64_t height, int64_t width, int64_t channels) {
  return (Synthesis){.down = down, .along = along, .scale = 1, .height = height, .width = width, .channels = channels};
}

/* ---- The chunk M ---- */

/* Takes means, rotation and bases; returns whether they are whole and in range. */
static int take_bases(Picture *picture, Bytes mean) {
  const int64_t channels = picture->plan->channels, turned = channels > 1 ? channels * channels : 0;
  const int own = mean.size > 0 && mean.data[0] == 1;
  if (mean.size != 1 + 2 * (channels + turned + (own ? 128 : 0)) || mean.data[0] > 1) return 0;
  const uint8_t *numbers = mean.data + 1, *bases = numbers + 2 * (channels + turned);
  const double unit = power_of_two(-picture->fraction_bits - BASIS_BITS);
  int fine = 1;
  picture->rotation[0] = (1 << BASIS_BITS) * unit;
  for (int64_t i = 0; i < channels; i++) picture->mean[i] = u16_at(numbers, i);
  for (int64_t i = 0; i < turned; i++) {
    int32_t entry = i16_at(numbers, channels + i);
    fine &= magnitude_of(entry) <= 1 << BASIS_BITS;
    picture->rotation[i] = entry * unit;
  }
  for (int axis = 0; axis < 2; axis++) {
    int32_t basis[64];
    for (int i = 0; i < 64; i++) {
      int32_t entry = own ? i16_at(bases, 64 * axis + i) : i16_at(picture->plan->tables.data[TABLE_BASIS], i);
      fine &= magnitude_of(entry) <= 1 << BASIS_BITS;
      basis[i] = entry;
    }
    fine &= make_axis(basis, picture->axes + axis);
  }
  return fine;
}

/* ---- Shrinkage ---- */

/* The grade of a step on a scale of 255. */
static int shrink_grade(double step) {
  /* 4 · 2^(g/2 + 1/4) */
  static const double EDGES[SHRINK_GRADES - 1] = {
      4.756828460010884,  6.727171322029716, 9.513656920021768, 13.454342644059432, 19.027313840043536,
      26.908685288118864, 38.05462768008707, 53.81737057623773, 76.10925536017415,  107.63474115247546};
  int grade = 0;
  while (grade < SHRINK_GRADES - 1 && step >= EDGES[grade]) grade++;
  return grade;
}

/* Finds the shrinkage of a channel at a level. */
static void shrink_channel(Picture *picture, const Header *header, int64_t level, int64_t channel) {
  static const uint16_t CLASSES[3] = {3413, 2159, 1365};
  const int64_t place = level * picture->plan->channels + channel, kind = least(channel, 2);
  const int64_t exponent = step_exponent(header, 64 * channel + 18, level);
  const int64_t factor = (int64_t)((step_root(exponent) + 512) >> 10) * (1 << ((exponent >> 4) + 6));
  const int grade = shrink_grade(step_of(header) * 255 / header->peak * (double)factor / 1024);
  const int finer = (grade > 1 ? grade - 1 : 0) / 2;
  const int8_t *strengths = header->strengths + 2 * channel;
  const uint8_t *trained = picture->plan->tables.data[TABLE_SHRINK_GAINS];
  for (int64_t i = 0; i < SHRINK_GAINS; i++) {
    int64_t first = ((grade * 2) * 3 + kind) * SHRINK_GAINS + i, second = first + 3 * SHRINK_GAINS;
    int32_t sum = strengths[0] * i16_at(trained, first) + strengths[1] * i16_at(trained, second);
    picture->gains[place * SHRINK_GAINS + i] =
        (int16_t)(within((sum + 4) >> 3, -INT16_MAX, INT16_MAX) >> finer);
  }
  for (int i = 0; i < 3; i++) picture->factors[3 * place + i] = (uint16_t)(CLASSES[i] >> finer);
  const int64_t unit = header->exponent + picture->fraction_bits - 10;
  picture->scales[place] = (double)header->mantissa * (double)factor * power_of_two(unit - 11);
  picture->units[place] = (double)header->mantissa * (double)factor * power_of_two(unit - 5 - finer);
  picture->shrunk[channel] = strengths[0] || strengths[1];
  picture->is_shrunk |= picture->shrunk[channel];
}

static void find_shrinkage(Picture *picture, const Header *header) {
  const double place = power_of_two(header->exponent + picture->fraction_bits - 21);
  picture->is_shrunk = 0;
  for (int64_t level = 0; level < picture->plan->levels; level++) {
    for (int64_t channel = 0; channel < header->channels; channel++)
      shrink_channel(picture, header, level, channel);
  }
  picture->shrink_half_place = place < 1 ? place / 2 : 0;
}

void scale_synthesis(Synthesis *s, int64_t mantissa, int64_t exponent) {
  const double place = power_of_two(exponent);
  s->scale = (double)mantissa * place;
  s->half_place = place < 1 ? place / 2 : 0;
}

int make_picture(Picture *picture, const PhotoPlan *plan, const Header *header, Bytes mean,
                 const void *const *scores, const int8_t *levels) {
  picture->plan = plan;
  picture->height = header->height;
  picture->width = header->width;
  picture->slice_rows = header->slice_lines;
  picture->wide_scores = plan->wide;
  picture->rows = (header->height + 7) / 8;
  picture->columns = (header->width + 7) / 8;
  picture->wide = header->type == PCAI_U16;
  picture->fraction_bits = picture->wide ? 9 : 17;
  picture->white = (int64_t)header->peak;
  picture->scores = scores;
  picture->levels = levels;
  if (!take_bases(picture, mean)) return PCAI_DAMAGED;
  picture->synthesis =
      synthesis_of(picture->axes, picture->axes + 1, header->height, header->width, header->channels);
  picture->synthesis.rotation = picture->rotation;
  picture->synthesis.mean = picture->mean;
  scale_synthesis(&picture->synthesis, header->mantissa,
                  header->exponent - COEFFICIENT_BITS + picture->fraction_bits);
  find_shrinkage(picture, header);
  return PCAI_OK;
}

/* ---- Lines ---- */

/* Finds the coefficients of some blocks of a row. Slices that are not decoded have nothing. */
static void find_blocks(const Picture *picture, int64_t k, int64_t row, int64_t start, int64_t count,
                        const uint8_t *skipped, int64_t area, int32_t *result) {
  const PhotoPlan *plan = picture->plan;
  const int64_t slice = row / picture->slice_rows, first = slice * picture->slice_rows;
  const Settling settling = {
      plan->planes,   plan->prediction, plan->factors, picture->levels + first * picture->columns,
      plan->by_level, plan->fraction,   plan->channels, least(picture->slice_rows, picture->rows - first),
      picture->columns, skipped};
  fill_coefficients(&settling, picture->scores[slice], picture->wide_scores, picture->scores[slice] ? k : 0,
                    row - first, start, count, area, result);
}

void find_coefficients(const Picture *picture, int64_t k, int64_t above, int64_t below, const uint8_t *skipped,
                       int32_t *result) {
  for (int64_t row = above; row < below; row++, result += picture->columns) {
    find_blocks(picture, k, row, 0, picture->columns, skipped, (below - above) * picture->columns, result);
  }
}

/* What a few blocks of some rows need: the coefficients of one row, and channels as they are and shrunk, of as many
 * groups as reach into these blocks. */
typedef struct {
  int32_t coefficients[64 * MOST_CHANNELS][INVERSE_WIDTH];
  InverseRoom inverse;
  double samples[MOST_CHANNELS][MADE_LINES][8 * INVERSE_TILE];
  double shrunk[MOST_CHANNELS][MADE_LINES][8 * MADE_COLUMNS];
} LineRoom;

/* Makes the samples of some groups of a line; those of the group above them were made just before, or follow the
 * row of blocks above. */
static void make_group(const Picture *picture, int64_t k, int64_t group, int64_t first, int64_t count, int begin,
                       LineRoom *room, const Samples *samples) {
  const int64_t start = most(first - 1, 0), blocks = least(first + count, picture->columns) - start;
  for (int64_t row = group - begin; row <= group; row++) {
    const int inside = row >= 0 && row < picture->rows;
    if (inside) find_blocks(picture, k, row, start, blocks, NULL, INVERSE_WIDTH, room->coefficients[0]);
    take_row(&picture->synthesis, &room->inverse, row, first, count, inside ? room->coefficients[0] : NULL,
             INVERSE_WIDTH);
  }
  synthesise(&picture->synthesis, &room->inverse, group, first, count, samples);
}

/* Delivers lines of some columns from samples that reach far enough around them. */
static void finish_lines(const Picture *picture, int64_t start, int64_t stop, int64_t left, int64_t right,
                         LineRoom *room, const Samples *samples, uint8_t *to, int64_t apart) {
  const Samples shrunk = {room->shrunk[0][0], MADE_LINES * 8 * MADE_COLUMNS, 8 * MADE_COLUMNS, start, stop, left};
  const double peak = picture->wide ? (double)picture->white : UINT8_MAX;
  if (picture->is_shrunk) {
    shrink_planes(picture, samples, start, stop, left, right, &shrunk);
    samples = &shrunk;
  }
  for (int64_t y = start; y < stop; y++, to += apart) {
    finish_planes(&picture->synthesis, sample_at(samples, 0, y, left), samples->plane, right - left, peak, to,
                  picture->wide);
  }
}

/* Makes lines of blocks from `first` on. */
static void make_blocks(const Picture *picture, int64_t k, int64_t start, int64_t stop, int64_t first, LineRoom *room,
                        uint8_t *to, int64_t apart) {
  const int64_t reach = picture->is_shrunk ? SHRINK_REACH : 0, left = 8 * first;
  const int64_t right = least(left + 8 * MADE_COLUMNS, picture->width);
  const int64_t count = least(MADE_COLUMNS, picture->columns - first) + 1, line = 8 * INVERSE_TILE;
  Samples samples = {room->samples[0][0], MADE_LINES * line, line, 0, 0, left - 4};
  int64_t group = (most(start - reach, 0) + 4) / 8;
  samples.top = 8 * group - 4;
  for (int64_t y = start, end; y < stop; y = end) {
    end = least(stop, samples.top + MADE_LINES - reach);
    for (; samples.end < least(end + reach, picture->height); samples.end = least(8 * group++ + 4, picture->height)) {
      make_group(picture, k, group, first, count, samples.end == 0, room, &samples);
    }
    finish_lines(picture, y, end, left, right, room, &samples, to + (y - start) * apart, apart);
    /* The last group reaches into the lines that follow. */
    const int64_t kept = samples.top + 8 * MADE_ROWS;
    for (int64_t p = 0; p < picture->plan->channels; p++) {
      memcpy(sample_at(&samples, p, samples.top, samples.left), sample_at(&samples, p, kept, samples.left),
             8 * 8 * INVERSE_TILE * sizeof(double));
    }
    samples.top = kept;
  }
}

int64_t size_of_lines(const Picture *picture, int64_t start, int64_t stop, int64_t reduction) {
  return reduction > 1 ? size_of_reduced(picture, start, stop, reduction) : (int64_t)sizeof(LineRoom) + LINE;
}

void picture_lines(const Picture *picture, int64_t k, int64_t start, int64_t stop, int64_t reduction,
                   void *memory, uint8_t *to, int64_t apart) {
  Room room = room_in(memory);
  if (start >= stop) return;
  if (reduction > 1) {
    reduced_lines(picture, k, start, stop, reduction, memory, to, apart);
    return;
  }
  LineRoom *lines = part_of(&room, (int64_t)sizeof(LineRoom));
  const int64_t pixel = picture->plan->channels * (picture->wide ? 2 : 1);
  for (int64_t first = 0; first < picture->columns; first += MADE_COLUMNS) {
    make_blocks(picture, k, start, stop, first, lines, to + 8 * first * pixel, apart);
  }
}
