/* Common to all files of the core: what is exported, and arithmetic that is the same on every machine.
 *
 * Numbers from Python are int64_t, double or float; arrays are pointers to their first element, in C order;
 * structs have the fields of the named tuples of the same name, in the same order (see library.py).
 * What Python calls allocates nothing: all memory is handed in; the functions of pcai.h take it from a host.
 * What decodes calls no library function but memcpy, memset and memmove, so that it can be compiled for any
 * target.
 */
#ifndef PCAI_CORE_H
#define PCAI_CORE_H

#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__
#include <string.h>
#else
/* Without a C library the compiler's own functions are called. */
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
#endif

/* For WebAssembly, where nothing is hosted, compilers would call these for a single vector, too. */
#if defined(__wasm__)
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
#endif

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

/* Functions with a parameter that is a constant where they are called, such as `reading`, are written once
 * and compiled for each of its values, unless what is compiled shall be small. */
#if !defined(ALWAYS_INLINE)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Goes up with every change of a function's parameters; library.py names the same. */
#define PCAI_ABI 9

/* Says how large a struct is that library.py makes of the named tuple of the same name: it compares them. */
#define SHARED(name)                          \
  API extern const int64_t pcai_size_of_##name; \
  const int64_t pcai_size_of_##name = (int64_t)sizeof(name)

ALWAYS_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
ALWAYS_INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
ALWAYS_INLINE int64_t within(int64_t value, int64_t low, int64_t high) {
  return least(most(value, low), high);
}
ALWAYS_INLINE int64_t magnitude_of(int64_t value) { return value < 0 ? -value : value; }

/* Division rounded towards minus infinity; the divisor is positive. */
ALWAYS_INLINE int64_t floor_divided(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  return quotient - (value % divisor < 0);
}

/* Sums of 32 bits that wrap around, where C leaves the overflow of signed numbers undefined. */
ALWAYS_INLINE int32_t wrapped_sum(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

#endif
