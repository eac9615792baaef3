/* Filling of what is cut out of a picture, from averages of the rest over ever larger squares. */
#include "core.h"

/* The shape of a picture, and which of its squares are known, of 1 << shift numbers along a side and `across` in
 * a row. */
typedef struct {
  const uint8_t *known;
  int64_t across, shift, rows, columns;
} Squares;
SHARED(Squares);

ALWAYS_INLINE int is_known(const Squares *squares, int64_t y, int64_t x) {
  return squares->known[(y >> squares->shift) * squares->across + (x >> squares->shift)];
}

/* Finds the averages of what is known in squares of four numbers; 0 where nothing is. */
API void pcai_average(const float *values, const Squares *squares, float *coarse) {
  int64_t rows = squares->rows, columns = squares->columns;
  for (int64_t y = 0; y < rows; y += 2) {
    for (int64_t x = 0; x < columns; x += 2) {
      float sum = 0;
      int count = 0;
      for (int i = 0; i < 4; i++) {
        int64_t down = y + (i & 1), along = x + (i >> 1);
        if (down >= rows || along >= columns || !is_known(squares, down, along)) continue;
        sum += values[down * columns + along];
        count++;
      }
      *coarse++ = count > 0 ? sum / (float)count : 0;
    }
  }
}

/* Fills in what is not known, smoothly, from numbers for squares of four. */
API void pcai_fill(float *values, const Squares *squares, const float *coarse) {
  int64_t rows = squares->rows, columns = squares->columns, width = (columns + 1) / 2;
  for (int64_t y = 0; y < rows; y++) {
    const float *here = coarse + y / 2 * width, *above = coarse + most(y - 1, 0) / 2 * width;
    const float *below = coarse + least(y + 1, rows - 1) / 2 * width;
    for (int64_t x = 0; x < columns; x++) {
      if (is_known(squares, y, x)) continue;
      float left = here[most(x - 1, 0) / 2], right = here[least(x + 1, columns - 1) / 2];
      values[y * columns + x] = (above[x / 2] + below[x / 2] + left + right + 4 * here[x / 2]) / 8;
    }
  }
}
