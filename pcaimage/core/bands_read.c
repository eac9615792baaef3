/* Reading planes of many bands. */
#include "bands.h"

SHARED(KnownPlanes);
SHARED(Acquired);

API void pcai_bands_read(int64_t plane, int64_t start, int64_t stop, const uint8_t *mask, int64_t columns,
                         const KnownPlanes *known, const Equations *fit, const Acquired *learned,
                         RangeCoder *coder) {
  code_strips(plane, start, stop, NULL, mask, columns, *known, *fit, *learned, 0, coder, 1, NULL);
}
