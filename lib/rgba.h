/* Pictures as viewers show them: red, green, blue and opacity, 8 bits each; for plug-ins of other programs. */
#ifndef PCAI_RGBA_H
#define PCAI_RGBA_H

#include "pcai.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  pcai_plain plain;
  pcai_host host;
  pcai *file;
  const pcai_info *info; /* NULL if the file cannot be opened */
} Shown;

/* Opens a file, whose data must stay; returns a sentence on what is wrong, NULL if nothing is. */
const char *open_shown(Shown *shown, const void *data, size_t size);

/* As open_shown, where the data make so many bytes of pixels plausible beside what their length does. */
const char *open_claiming(Shown *shown, const void *data, size_t size, uint64_t most_unbacked);

/* The largest reduction that leaves at least so many columns and lines. */
int64_t reduction_for(const Shown *shown, int64_t width, int64_t height);

/* The sides of a picture that is reduced so far. */
int64_t reduced_side(int64_t side, int64_t reduction);

/* Decodes an image, and paints it with `apart` bytes from line to line; of many bands three, stretched to their
 * ranges. Returns a sentence on what is wrong, NULL if nothing is. */
const char *paint_shown(Shown *shown, int64_t image, int64_t reduction, uint8_t *to, size_t apart);

void close_shown(Shown *shown);

#ifdef __cplusplus
}
#endif

#endif
