/* Writing planes that are coded directly; the encoder's alone. */
#include <math.h>

#include "direct.h"
#include "file.h"

/* Pixels from which weights are found, and the bound of what is seen of them; chunks whose products fit into 32 bits;
 * kinds of surroundings that fewer than one pixel of so many has are those beside them; errors that are counted. */
enum { SEEN = 2048, FARTHEST_SEEN = 8191, TERMS = WEIGHTS + 1, AT_ONCE = 1 << 6, RARE = 256, EVERY = 2 };

/* How many errors there are of a kind, and the sum of their magnitudes. */
typedef struct {
  double count, total;
} Found;

/* A slice's numbers, line by line those of each band; then errors, then symbols of shapes in their place. */
typedef struct {
  int64_t lines, columns, bands;
  int32_t *numbers;
  uint8_t *kinds;
  Parameters *given;
  Found (*found)[SURROUNDINGS];
  int *scales;   /* how far differences are shifted where weights are found */
  int16_t *seen; /* lines of inputs, and of what is to be predicted */
  Shapes *shapes;
  Direct direct;
} Slice;

static Slice slice_in(void *memory, int64_t lines, int64_t columns, int64_t bands, int64_t *size) {
  Slice slice = {.lines = lines, .columns = columns, .bands = bands};
  Room room = memory ? room_in(memory) : (Room){0};
  slice.numbers = part_of(&room, 4 * lines * columns * bands);
  slice.kinds = part_of(&room, lines * columns * bands);
  slice.given = part_of(&room, bands * (int64_t)sizeof(Parameters));
  slice.found = cleared_part(&room, bands * (int64_t)sizeof *slice.found);
  slice.scales = part_of(&room, bands * (int64_t)sizeof(int));
  slice.seen = cleared_part(&room, 2 * TERMS * direct_room(columns));
  slice.shapes = part_of(&room, sizeof(Shapes));
  uint8_t *lasts = cleared_part(&room, direct_size(columns, bands));
  if (memory) slice.direct = direct_in(lasts, columns, bands);
  *size = size_of_room(&room);
  return slice;
}

ALWAYS_INLINE int32_t *line_of(const Slice *slice, int64_t line, int64_t band) {
  return slice->numbers + (line * slice->bands + band) * slice->columns;
}

/* Gathers a line's numbers: values of a type, `apart` bytes from each other. */
ALWAYS_INLINE void gather(const uint8_t *from, int64_t apart, int64_t type, int64_t columns, int32_t *to) {
  for (int64_t j = 0; j < columns; j++, from += apart) {
    uint16_t half = 0;
    if (type == PCAI_F32) memcpy(to + j, from, 4);
    else if (type != PCAI_U8) memcpy(&half, from, 2);
    if (type != PCAI_F32) to[j] = type == PCAI_U8 ? *from : type == PCAI_U16 ? half : (int16_t)half;
  }
}

/* Lines from the one to the next in which something is found out. */
static int64_t lines_apart(const Slice *slice) { return most(1, slice->lines * slice->columns / SEEN); }

/* Finds where a band starts, and how large the differences to the line above are. */
static void measure(const Slice *slice, int64_t band) {
  Parameters *given = slice->given + band;
  double total = 0, start = 0, count = 0;
  for (int64_t i = 0; i < slice->lines; i += lines_apart(slice), count += (double)slice->columns) {
    const int32_t *line = line_of(slice, i, band), *up = line_of(slice, most(i - 1, 0), band);
    for (int64_t j = 0; j < slice->columns; j++) total += fabs((double)difference(line[j], up[j]));
    for (int64_t j = 0; !i && j < slice->columns; j++) start += line[j];
  }
  int size = digits((int64_t)(total / count));
  *given = (Parameters){.start = (int32_t)floor(start / (double)slice->columns + 0.5)};
  given->difference_shift = (int)most(size - 11, 0);
  slice->scales[band] = (int)most(size - 7, 0);
}

/* Differences of two lines, of which those that are far count less. */
static void see(const int32_t *line, const int32_t *other, int shift, int64_t columns, int16_t *to) {
  for (int64_t j = 0; j < columns; j++) {
    int32_t found = difference(line[j], other[j]) >> shift;
    to[j] = (int16_t)(found < -FARTHEST_SEEN ? -FARTHEST_SEEN : found > FARTHEST_SEEN ? FARTHEST_SEEN : found);
  }
}

/* Sees both differences of a band, at a place and the one behind it, and before it, too, if it has three places. */
static void see_band(const Slice *slice, int64_t band, const int32_t *line, const int32_t *up, const int32_t *left,
                     int places, int16_t *to) {
  int64_t columns = slice->columns, room = direct_room(columns), all_but_one = 2 * (columns - 1);
  int16_t *here = to + (places == 3 ? 2 * room : 0);
  see(line, up, slice->scales[band], columns, here);
  see(left, left + 1, slice->scales[band], columns - 1, here + room + 1);
  here[room] = 0;
  for (int i = 0; i < 2; i++, here += room) {
    memcpy(here + 2 * room, here + 1, (size_t)all_but_one);
    here[2 * room + columns - 1] = i ? 0 : here[columns - 1];
    if (places == 3) memcpy(here - 2 * room + 1, here, (size_t)all_but_one);
    if (places == 3) here[-2 * room] = here[0];
  }
}

/* Adds up products of what was seen in a line. */
ALWAYS_INLINE void add_up(const int16_t *seen, int64_t columns, int64_t room, double sums[TERMS][TERMS]) {
  for (int64_t start = 0; start < columns; start += AT_ONCE) {
    for (int a = 0, b = 0; a < TERMS;) {
      Ints total = {0};
      for (int64_t j = start; j < least(columns, start + AT_ONCE); j += 8) {
        total += pair_products(shorts_at(seen + a * room + j), shorts_at(seen + b * room + j));
      }
      sums[a][b] += (double)total[0] + total[1] + total[2] + total[3];
      if (b++ == a) a++, b = 0;
    }
  }
}

EITHER_WIDTH(static, add_products, add_up, (const int16_t *seen, int64_t columns, int64_t room, double sums[TERMS][TERMS]),
             (seen, columns, room, sums))

/* Solves the normal equations by Cholesky's factors, which take the place of the sums. The last row becomes the
 * solution, and its end the squares that remain. */
static void solve(double sums[TERMS][TERMS], double count) {
  double *row = sums[WEIGHTS];
  for (int a = 0; a < TERMS; a++) {
    if (a < WEIGHTS) sums[a][a] += sums[a][a] / 4096 + count / 4 + 1;
    for (int b = 0; b <= a; b++) {
      for (int k = 0; k < b; k++) sums[a][b] -= sums[a][k] * sums[b][k];
      if (b < a) sums[a][b] /= sums[b][b];
    }
    if (a < WEIGHTS) sums[a][a] = sqrt(fmax(sums[a][a], 1e-9));
  }
  for (int a = WEIGHTS - 1; a >= 0; a--) {
    for (int k = a + 1; k < WEIGHTS; k++) row[a] -= sums[k][a] * row[k];
    row[a] /= sums[a][a];
  }
}

/* Finds the weights of a band from some of the lines. */
static void weigh(const Slice *slice, int64_t band) {
  Parameters *given = slice->given + band;
  double sums[TERMS][TERMS] = {{0}};
  int64_t columns = slice->columns, room = direct_room(columns), count = 0;
  for (int64_t i = 1; i < slice->lines; i += lines_apart(slice), count += columns) {
    const int32_t *line = line_of(slice, i, band), *up = line_of(slice, i - 1, band);
    for (int64_t j = 0; j < columns; j++) slice->direct.expected[j] = given->start;
    see_band(slice, band, slice->direct.expected, up, up, 2, slice->seen);
    for (int before = 1; before <= 2 && before <= band; before++) {
      const int32_t *above = line_of(slice, i - 1, band - before);
      see_band(slice, band - before, line_of(slice, i, band - before), above, above, 3, slice->seen + (6 * before - 2) * room);
    }
    see(line, up, slice->scales[band], columns, slice->seen + WEIGHTS * room);
    add_products(slice->seen, columns, room, sums);
  }
  solve(sums, (double)count);
  for (int i = 0; i < WEIGHTS; i++) {
    int64_t from = most(i < 4 ? band : i < 10 ? band - 1 : band - 2, 0);
    int finer = slice->scales[band] + slice->given[from].difference_shift + CHANCE_BITS, coarser = slice->scales[from];
    double weight = sums[WEIGHTS][i] * (double)(INT64_C(1) << finer) / (double)(INT64_C(1) << (coarser + given->difference_shift));
    given->weights[i] = (int16_t)floor(fmin(fmax(weight, -32767), 32767) + 0.5);
  }
  double wrong = sqrt(fmax(sums[WEIGHTS][WEIGHTS], 0) / (double)most(count, 1)) * (double)(INT64_C(1) << slice->scales[band]);
  given->wrong_shift = (int)most(digits((int64_t)wrong) - 8, 0);
}

/* Puts errors in the place of a line's numbers. */
ALWAYS_INLINE void find_errors(const Slice *slice, int64_t line, int64_t band) {
  const Direct *direct = &slice->direct;
  const Last last = last_of(direct, band);
  int32_t *numbers = line_of(slice, line, band), *errors = direct->expected;
  expect_line(direct, band, slice->given + band);
  for (int64_t j = 0; j < slice->columns; j++) errors[j] = difference(difference(numbers[j], last.numbers[j]), errors[j]);
  know_line(direct, band, slice->given + band, numbers, errors);
  memcpy(numbers, errors, (size_t)(4 * slice->columns));
  memcpy(slice->kinds + (numbers - slice->numbers), direct->kinds, (size_t)slice->columns);
  for (int64_t j = line % EVERY; j < slice->columns; j += EVERY) {
    Found *found = slice->found[band] + direct->kinds[j];
    found->count += 1;
    found->total += fabs((double)errors[j]);
  }
}

EITHER_WIDTH(static, find_line, find_errors, (const Slice *slice, int64_t line, int64_t band), (slice, line, band))

/* The size of the distribution whose mean magnitude is nearest. */
static int size_of(const Shapes *shapes, double mean) {
  double nearest = INFINITY, share = 1;
  int best = 0, octaves = 0;
  for (int i = SHAPES - 1; i >= 0; i--) {
    double total = 0.02;
    for (int s = 0; s < DIRECT_SYMBOLS - 1; s++) total += fabs(s - EACH_SIDE) * (shapes->first[i][s + 1] - shapes->first[i][s]);
    total /= 1 << CHANCE_BITS;
    for (; i == SHAPES - 1 && mean * share > 1.1 * total && octaves < (LARGEST_SHAPE - SHAPES) / 4; octaves++) share /= 2;
    double apart = fabs(log(total / (mean * share + 1e-9)));
    if (apart < nearest && (i >= SHAPES - 4 || !octaves)) nearest = apart, best = i;
  }
  return best + 4 * octaves;
}

/* Chooses the distributions of a band by the magnitudes of errors, and writes what it has in front; returns where that ends. */
static uint8_t *put_parameters(const Slice *slice, int64_t band, uint8_t *to) {
  Parameters *given = slice->given + band;
  Found *found = slice->found[band];
  double rare = (double)(slice->lines * slice->columns) / (RARE * EVERY);
  int first = 0, last = SURROUNDINGS - 1;
  for (; first < last && found[first].count < rare; first++) {
    found[first + 1].count += found[first].count, found[first + 1].total += found[first].total;
  }
  for (; last > first && found[last].count < rare; last--) {
    found[last - 1].count += found[last].count, found[last - 1].total += found[last].total;
  }
  uint32_t head[2] = {(uint32_t)given->start, (uint32_t)(given->difference_shift | given->wrong_shift << 8 | first << 16 | (last - first + 1) << 24)};
  for (int i = 0; i < 8; i++) *to++ = (uint8_t)(head[i / 4] >> (8 * (i % 4)));
  for (int i = first; i <= last; i++) {
    given->sizes[i] = found[i].count < 1 ? given->sizes[i - 1] : (uint8_t)size_of(slice->shapes, found[i].total / found[i].count);
    *to++ = given->sizes[i];
  }
  memset(given->sizes, given->sizes[first], (size_t)first);
  memset(given->sizes + last, given->sizes[last], (size_t)(SURROUNDINGS - last));
  for (int i = 0; i < 2 * WEIGHTS; i++) *to++ = (uint8_t)((uint16_t)given->weights[i / 2] >> (8 * (i % 2)));
  return to;
}

typedef struct {
  uint8_t *to;
  uint64_t held;
  int64_t count;
} BitWriter;

ALWAYS_INLINE void put_bits(BitWriter *bits, uint64_t value, int64_t count) {
  bits->held |= value << bits->count;
  for (bits->count += count; bits->count >= 8; bits->count -= 8, bits->held >>= 8) *bits->to++ = (uint8_t)bits->held;
}

/* Puts symbols of shapes in the place of a line's errors; writes the rest of these. */
static void put_rests(const Slice *slice, int64_t line, int64_t band, BitWriter *bits) {
  int32_t *errors = line_of(slice, line, band);
  const uint8_t *kinds = slice->kinds + (errors - slice->numbers), *sizes = slice->given[band].sizes;
  BitWriter here = *bits;
  for (int64_t j = 0; j < slice->columns; j++) {
    int shape = shape_of(sizes[kinds[j]]), shift = shift_of(sizes[kinds[j]]);
    int64_t raised = (int64_t)errors[j] + ((1 << shift) >> 1), symbol = (raised >> shift) + EACH_SIDE;
    const uint16_t *first = slice->shapes->first[shape];
    if (LIKELY(symbol >= 0 && symbol < DIRECT_SYMBOLS - 1 && first[symbol] < first[symbol + 1])) {
      put_bits(&here, (uint64_t)(raised & ((1 << shift) - 1)), shift);
    } else {
      uint32_t far = (uint32_t)errors[j] << 1 ^ (uint32_t)(errors[j] >> 31);
      symbol = DIRECT_SYMBOLS - 1;
      put_bits(&here, (uint64_t)digits(far), 6);
      put_bits(&here, far, digits(far));
    }
    errors[j] = (int32_t)(shape * (DIRECT_SYMBOLS + 1) + symbol);
  }
  *bits = here;
}

/* Writes symbols from the last to the first, and words from the end of their room; returns where they begin. */
static uint8_t *put_words(const Slice *slice, uint8_t *end) {
  uint32_t states[CODERS] = {LOWEST_STATE, LOWEST_STATE, LOWEST_STATE, LOWEST_STATE};
  for (int64_t i = slice->lines * slice->bands - 1; i >= 0; i--) {
    const int32_t *symbols = slice->numbers + i * slice->columns;
    for (int64_t start = (slice->columns - 1) / CODERS * CODERS; start >= 0; start -= CODERS) {
      WRITTEN_OUT for (int coder = CODERS - 1; coder >= 0; coder--) {
        if (start + coder >= slice->columns) continue;
        const uint16_t *first = slice->shapes->first[0] + symbols[start + coder];
        uint32_t state = states[coder], chance = (uint32_t)(first[1] - first[0]), is_full = state >> 20 >= chance;
        if (is_full) end -= 2, end[0] = (uint8_t)state, end[1] = (uint8_t)(state >> 8);
        state >>= 16 * is_full;
        states[coder] = (state / chance << CHANCE_BITS) + state % chance + first[0];
      }
    }
  }
  for (int i = 4 * CODERS - 1; i >= 0; i--) *--end = (uint8_t)(states[i / 4] >> (8 * (i % 4)));
  return end;
}

API int64_t pcai_direct_size(int64_t lines, int64_t columns, int64_t bands) {
  int64_t size;
  slice_in(NULL, lines, columns, bands, &size);
  return size;
}

/* Codes a slice whose lines, columns and bands are so many bytes apart, of PCAI_F32 as whole numbers of 32 bits;
 * returns the bytes of its stream, for which there must be room: 80 for each band, seven for each number, 64. */
API int64_t pcai_direct_write(const CurveTables *curves, void *memory, const uint8_t *values, int64_t type,
                              int64_t line_apart, int64_t column_apart, int64_t band_apart, int64_t lines,
                              int64_t columns, int64_t bands, uint8_t *to) {
  int64_t size;
  Slice slice = slice_in(memory, lines, columns, bands, &size);
  make_shapes(curves, slice.shapes);
  for (int64_t i = 0; i < lines * bands; i++) {
    gather(values + i / bands * line_apart + i % bands * band_apart, column_apart, type, columns, slice.numbers + i * columns);
  }
  for (int64_t band = 0; band < bands; band++) {
    measure(&slice, band);
    weigh(&slice, band);
    begin_band(&slice.direct, band, slice.given + band);
  }
  for (int64_t i = 0; i < lines * bands; i++) find_line(&slice, i / bands, i % bands);
  uint8_t *next = to;
  for (int64_t band = 0; band < bands; band++) next = put_parameters(&slice, band, next);
  uint8_t *end = next + 4 + 2 * lines * columns * bands + 4 * CODERS;
  BitWriter bits = {.to = end};
  for (int64_t i = 0; i < lines * bands; i++) put_rests(&slice, i / bands, i % bands, &bits);
  if (bits.count) *bits.to++ = (uint8_t)bits.held;
  const uint8_t *begin = put_words(&slice, end);
  int64_t words = end - begin;
  for (int i = 0; i < 4; i++) *next++ = (uint8_t)(words / 2 >> (8 * i));
  memmove(next, begin, (size_t)words);
  memmove(next + words, end, (size_t)(bits.to - end));
  return next + words + (bits.to - end) - to;
}
