#include "equations.h"

ALWAYS_INLINE void add_up(const Equations *fit, int64_t strip, const int16_t (*seen)[STRIP], int forget) {
  int32_t *sums = fit->sums + strip * sums_of(fit->inputs);
  for (int row = 0; row < 4 * blocks_of(fit); row += 4) {
    for (int column = 0; column <= row; column += 4) {
      for (int i = 0; i < 16; i++, sums++) {
        const int16_t *left = seen[row + i / 4], *right = seen[column + i % 4];
        int32_t total = 0;
        for (int j = 0; j < STRIP; j++) total += left[j] * right[j];
        *sums += total - (*sums >> forget);
      }
    }
  }
}

EITHER_WIDTH(, accumulate, add_up, (const Equations *fit, int64_t strip, const int16_t (*seen)[STRIP], int forget),
             (fit, strip, seen, forget))
