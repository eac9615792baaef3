/* Shrinkage after decoding: what quantisation has left in small coefficients is taken out of each channel.
 *
 * Around each pixel lie sixteen blocks of 4x4. Each is transformed; each of its coefficients but the constant
 * one is changed by a share of itself that depends on its band and its size in steps; and what all blocks say
 * of the pixel is averaged. Small coefficients are mostly errors of quantisation, so their shares are close
 * to -1. That is denoising by shrinkage in all shifts of an orthogonal transform (R. R. Coifman, D. L.
 * Donoho, "Translation-invariant de-noising", 1995), whose shares were fitted to photographs.
 *
 * The vectors are whole numbers in place of the components of lines of four pixels, which they are close to.
 * All numbers between have 16 bits and wrap around. Large coefficients hardly change, so that sums do not
 * come near the ends of their range.
 */
#include "lanes.h"
#if defined(PCAI_WIDE)
#include <immintrin.h>
#endif
#include "picture.h"

/* A part of a plane: lines and columns. */
typedef struct {
  int64_t from;
  int64_t to;
  int64_t left;
  int64_t right;
} Part;

/* Columns that are worked on at once, so that the space stays in the cache. */
#define WIDEST 256

/* From one line to the next in the space: for all pairs of vectors that reach into a line. */
static int64_t pitch_for(int64_t width) { return (width + 3 + 31) / 32 * 32 + 16; }

enum { MOST_PITCH = (WIDEST + 3 + 31) / 32 * 32 + 16 };

static const uint8_t FACTOR_OF[4][4] = {{0, 1, 0, 1}, {1, 2, 1, 2}, {0, 1, 0, 1}, {1, 2, 1, 2}};
/* Bands (u, v) and (v, u) share their gains. */
static const uint8_t BAND_OF[4][4] = {{0, 0, 1, 2}, {0, 3, 4, 5}, {1, 4, 6, 7}, {2, 5, 7, 8}};

/* The nearest whole number, of 16 bits: sums without signs wrap around. */
ALWAYS_INLINE uint16_t whole_word(double value) {
  return (uint16_t)(int32_t)whole(bounded(value, -ROUNDING_LIMIT, ROUNDING_LIMIT));
}

typedef uint16_t NarrowWords __attribute__((vector_size(16)));
typedef int16_t NarrowNumbers __attribute__((vector_size(16)));

/* Gains of a band: all of them, and their lower and upper bytes. */
typedef struct {
  const int16_t *gains;
  uint8_t lower[SHRINK_SIZES];
  uint8_t upper[SHRINK_SIZES];
} Gains;

/* The excess of a coefficient: it times the share of its size's class, in 2^-16. */
#if defined(__wasm_simd128__)
/* The upper halves of products. */
#define UPPER_HALVES(low, high) wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15)

ALWAYS_INLINE NarrowWords weighed_narrow(NarrowWords value, uint16_t factor, const Gains *band) {
  v128_t number = (v128_t)value, size = wasm_i16x8_abs(number), all = wasm_i16x8_splat((int16_t)factor);
  v128_t place = UPPER_HALVES(wasm_u32x4_extmul_low_u16x8(size, all), wasm_u32x4_extmul_high_u16x8(size, all));
  v128_t index = wasm_u16x8_min(place, wasm_i16x8_splat(SHRINK_SIZES - 1));
  v128_t lower = wasm_i8x16_swizzle(wasm_v128_load(band->lower), index);
  v128_t upper = wasm_i8x16_swizzle(wasm_v128_load(band->upper), index);
  v128_t gain = wasm_i8x16_shuffle(lower, upper, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
  return (NarrowWords)UPPER_HALVES(wasm_i32x4_extmul_low_i16x8(number, gain),
                                   wasm_i32x4_extmul_high_i16x8(number, gain));
}
#else
ALWAYS_INLINE NarrowWords weighed_narrow(NarrowWords value, uint16_t factor, const Gains *band) {
  NarrowNumbers number = (NarrowNumbers)value, sign = number >> 15;
  NarrowWords size = (NarrowWords)((number ^ sign) - sign), found;
#if defined(__SSE2__)
  NarrowNumbers place = (NarrowNumbers)_mm_mulhi_epu16((__m128i)size, _mm_set1_epi16((int16_t)factor));
#else
  NarrowNumbers place;
  for (int i = 0; i < 8; i++) place[i] = (int16_t)(((uint32_t)size[i] * factor) >> 16);
#endif
#if defined(__ARM_NEON) && defined(__aarch64__)
  uint8x16_t index = vreinterpretq_u8_s16(vminq_s16((int16x8_t)place, vdupq_n_s16(SHRINK_SIZES - 1)));
  uint8x16_t lower = vqtbl1q_u8(vld1q_u8(band->lower), index);
  uint8x16_t upper = vqtbl1q_u8(vld1q_u8(band->upper), index);
  NarrowNumbers gain = (NarrowNumbers)vreinterpretq_s16_u8(vtrn1q_u8(lower, upper));
#else
  NarrowNumbers gain = {0};
  gain += band->gains[0];
  for (int b = 1; b < SHRINK_SIZES; b++) {
    NarrowNumbers change = {0};
    gain += (place >= (int16_t)b) & (change + (int16_t)(band->gains[b] - band->gains[b - 1]));
  }
#endif
#if defined(__SSE2__)
  found = (NarrowWords)_mm_mulhi_epi16((__m128i)number, (__m128i)gain);
#else
  for (int i = 0; i < 8; i++) found[i] = (uint16_t)(((int32_t)number[i] * gain[i]) >> 16);
#endif
  return found;
}
#endif

/* The same of two vectors. */
ALWAYS_INLINE void weigh_narrow(NarrowWords values[2], uint16_t factor, const Gains *band) {
  for (int i = 0; i < 2; i++) values[i] = weighed_narrow(values[i], factor, band);
}

#define NAME(x) x##_narrow
#define TARGET
#define LANES 8
typedef NarrowWords NAME(Words);
#include "shrink_tpl.h"

#if defined(PCAI_WIDE)
typedef uint16_t WideWords __attribute__((vector_size(32)));

/* Classes of two vectors are looked up together, as bytes; what is packed and unpacked keeps its order. */
WIDE ALWAYS_INLINE void weigh_wide(WideWords values[2], uint16_t factor, const Gains *band) {
  __m256i lower = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)band->lower));
  __m256i upper = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)band->upper));
  __m256i first = (__m256i)values[0], second = (__m256i)values[1];
  __m256i all = _mm256_set1_epi16((int16_t)factor);
  __m256i place = _mm256_packus_epi16(_mm256_mulhi_epu16(_mm256_abs_epi16(first), all),
                                      _mm256_mulhi_epu16(_mm256_abs_epi16(second), all));
  place = _mm256_min_epu8(place, _mm256_set1_epi8(SHRINK_SIZES - 1));
  __m256i low = _mm256_shuffle_epi8(lower, place), high = _mm256_shuffle_epi8(upper, place);
  values[0] = (WideWords)_mm256_mulhi_epi16(first, _mm256_unpacklo_epi8(low, high));
  values[1] = (WideWords)_mm256_mulhi_epi16(second, _mm256_unpackhi_epi8(low, high));
}

#define NAME(x) x##_wide
#define TARGET WIDE
#define LANES 16
typedef WideWords NAME(Words);
#include "shrink_tpl.h"
#endif

/* Returns 1 if two rows of blocks have the same levels. */
static int are_alike(const int8_t *levels, const int8_t *others, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (levels[i] != others[i]) return 0;
  }
  return 1;
}

/* Finds a part of one level that begins with a line and a column: blocks to the right, and the rows below that are
 * like all of `whole`. */
static int8_t find_part(const Picture *s, const Part *whole, Part *part) {
  const int64_t column = part->left / 8, start = whole->left / 8, stop = (whole->right + 7) / 8;
  int64_t row = part->from / 8, end = column;
  const int8_t *levels = s->levels + row * s->columns;
  while (end < stop && levels[end] == levels[column]) end++;
  part->right = least(least(8 * end, part->left + WIDEST), whole->right);
  for (row++; 8 * row < whole->to; row++) {
    if (!are_alike(s->levels + row * s->columns + start, levels + start, stop - start)) break;
  }
  part->to = least(8 * row, whole->to);
  return levels[column];
}

void shrink_planes(const Picture *s, const Samples *samples, int64_t from, int64_t to, int64_t left, int64_t right,
                   const Samples *found) {
  uint16_t space[35 * MOST_PITCH];
  const Part whole = {from, to, left, right};
  for (int64_t p = 0; p < s->plan->channels; p++) {
    for (int64_t y = from; y < to && !s->shrunk[p]; y++) {
      memcpy(sample_at(found, p, y, left), sample_at(samples, p, y, left), (size_t)(right - left) * sizeof(double));
    }
  }
  Part part = whole;
  for (; part.from < to; part.from = part.to) {
    for (part.left = left; part.left < right; part.left = part.right) {
      const int64_t first = find_part(s, &whole, &part) * s->plan->channels;
      for (int64_t p = 0; p < s->plan->channels; p++) {
        if (s->shrunk[p]) BY_WIDTH(shrink, s, first + p, samples, p, part, found, space);
      }
    }
  }
}
