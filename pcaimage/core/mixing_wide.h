/* Mixing what four to six models say, and teaching all of them at once, with AVX2; the numbers are those of
 * mixing.h. Rates are found by division, which is faster than looking up each.
 */
#ifndef PCAI_MIXING_WIDE_H
#define PCAI_MIXING_WIDE_H

#include "lanes.h"
#include "mixing.h"

typedef uint32_t WideWords __attribute__((vector_size(32)));

/* Words of models, and what they say, and the weights of that. */
typedef struct {
  __m256i words;
  __m256i logits;
  __m256i weights;
  __m256i more;
  int32_t logit;
} Seen_wide;

WIDE ALWAYS_INLINE __m128i one_model(const Model *model) {
  return _mm_loadl_epi64((const __m128i *)(const void *)model);
}

WIDE ALWAYS_INLINE __m128i two_models(const Model *first, const Model *second) {
  __m128 low = _mm_castsi128_ps(one_model(first));
  return _mm_castps_si128(_mm_loadh_pi(low, (const __m64 *)(const void *)second));
}

/* In one piece each, as the next bit may want it. */
WIDE ALWAYS_INLINE void put_model(__m128i models, Model *first) {
  _mm_storel_epi64((__m128i *)(void *)first, models);
}

WIDE ALWAYS_INLINE void put_models(__m128i models, Model *first, Model *second) {
  put_model(models, first);
  _mm_storeh_pi((__m64 *)(void *)second, _mm_castsi128_ps(models));
}

/* Adds up what the models of a bit say: of four to six inputs. */
WIDE ALWAYS_INLINE int32_t look_wide(Model *const *contexts, int bit, int count, const int32_t *weights,
                                     const int32_t *more, Seen_wide *seen) {
  __m256i first = _mm256_castsi128_si256(two_models(contexts[0] + bit, contexts[1] + bit));
  __m128i next = two_models(contexts[2] + bit, contexts[3] + bit);
  __m256i second = _mm256_inserti128_si256(_mm256_setzero_si256(), next, 0);
  __m128i rest = count == 4   ? _mm_setzero_si128()
                 : count == 5 ? one_model(contexts[4] + bit)
                              : two_models(contexts[4] + bit, contexts[5] + bit);
  first = _mm256_inserti128_si256(first, rest, 1);
  __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
  seen->words = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
  seen->logits = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
  seen->weights = _mm256_loadu_si256((const __m256i *)(const void *)weights);
  seen->more = _mm256_loadu_si256((const __m256i *)(const void *)more);
  /* Sums of both weights may have 33 bits. */
  __m256i odd = _mm256_srli_epi64(seen->logits, 32);
  __m256i one = _mm256_mul_epi32(seen->logits, seen->weights);
  __m256i two = _mm256_mul_epi32(seen->logits, seen->more);
  __m256i three = _mm256_mul_epi32(odd, _mm256_srli_epi64(seen->weights, 32));
  __m256i four = _mm256_mul_epi32(odd, _mm256_srli_epi64(seen->more, 32));
  __m256i sum = _mm256_add_epi64(_mm256_add_epi64(one, two), _mm256_add_epi64(three, four));
  __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  int64_t total = _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
  seen->logit = (int32_t)bounded_logit(total >> 16);
  return seen->logit;
}

/* Words of models that have seen one more bit: see taught(). */
WIDE ALWAYS_INLINE __m256i taught_wide(__m256i words, int value, int64_t limit) {
  __m256i counts = _mm256_and_si256(words, _mm256_set1_epi32(1023));
  __m256i probabilities = _mm256_srli_epi32(words, 10);
  /* Rates are 131072 / (2 n + 3), rounded down, as floats find them, too: a test asks this of all tables. */
  __m256i doubled = _mm256_add_epi32(_mm256_add_epi32(counts, counts), _mm256_set1_epi32(3));
  __m256 divisors = _mm256_cvtepi32_ps(doubled);
  __m256i rates = _mm256_cvttps_epi32(_mm256_div_ps(_mm256_set1_ps(131072.0f), divisors));
  __m256i rest = _mm256_sub_epi32(_mm256_set1_epi32(value ? 4194303 : 0), probabilities);
  __m256i even = _mm256_srli_epi64(_mm256_mul_epi32(rest, rates), 16);
  __m256i odd = _mm256_mul_epi32(_mm256_srli_epi64(rest, 32), _mm256_srli_epi64(rates, 32));
  odd = _mm256_slli_epi64(odd, 16);
  __m256i change = _mm256_slli_epi32(_mm256_blend_epi32(even, odd, 0xAA), 10);
  __m256i more = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)limit), counts);
  return _mm256_sub_epi32(_mm256_add_epi32(words, change), more);
}

/* Lets weights and models learn from what a bit was. */
WIDE ALWAYS_INLINE void learn_wide(const Mixer *mixer, const Scales *scales, Model *const *contexts, int bit,
                                   int count, int32_t *weights, int32_t *more, const Seen_wide *seen,
                                   int value) {
  int32_t error =
      ((value << 16) - scales->probabilities[seen->logit + LOGIT_LIMIT]) * (int32_t)mixer->speed;
  __m256i change = _mm256_mullo_epi32(seen->logits, _mm256_set1_epi32(error));
  change = _mm256_srai_epi32(_mm256_add_epi32(change, _mm256_set1_epi32(1 << 17)), 18);
  _mm256_storeu_si256((__m256i *)(void *)weights, _mm256_add_epi32(seen->weights, change));
  _mm256_storeu_si256((__m256i *)(void *)more, _mm256_add_epi32(seen->more, change));
  __m256i taught = taught_wide(seen->words, value, mixer->limit);
  const WideWords words = (WideWords)taught;
  __m128i found = _mm_setzero_si128();
  found = _mm_insert_epi16(found, scales->logits[words[0] >> 16], 0);
  found = _mm_insert_epi16(found, scales->logits[words[1] >> 16], 1);
  found = _mm_insert_epi16(found, scales->logits[words[2] >> 16], 2);
  found = _mm_insert_epi16(found, scales->logits[words[3] >> 16], 3);
  if (count > 4) found = _mm_insert_epi16(found, scales->logits[words[4] >> 16], 4);
  if (count > 5) found = _mm_insert_epi16(found, scales->logits[words[5] >> 16], 5);
  __m256i logits = _mm256_cvtepi16_epi32(found);
  __m256i first = _mm256_unpacklo_epi32(taught, logits), second = _mm256_unpackhi_epi32(taught, logits);
  __m128i rest = _mm256_extracti128_si256(first, 1);
  put_models(_mm256_castsi256_si128(first), contexts[0] + bit, contexts[1] + bit);
  put_models(_mm256_castsi256_si128(second), contexts[2] + bit, contexts[3] + bit);
  if (count == 5) put_model(rest, contexts[4] + bit);
  if (count == 6) put_models(rest, contexts[4] + bit, contexts[5] + bit);
}

#endif
