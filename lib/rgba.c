#include "rgba.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP = 64 };

static const char NO_MEMORY[] = "There is not enough memory.";

const char *open_shown(Shown *shown, const void *data, size_t size) {
  return open_claiming(shown, data, size, 0);
}

const char *open_claiming(Shown *shown, const void *data, size_t size, uint64_t most_unbacked) {
  memset(shown, 0, sizeof *shown);
  shown->plain.allocate = malloc;
  shown->plain.release = free;
  pcai_embedded(&shown->plain);
  pcai_plain_host(&shown->host, &shown->plain);
  if (most_unbacked) shown->host.most_unbacked = most_unbacked;
  if (pcai_open(&shown->file, data, size, &shown->host)) {
    return shown->file ? pcai_reason(shown->file, NULL) : NO_MEMORY;
  }
  shown->info = pcai_about(shown->file);
  return shown->info->lent ? "The basis of the image is in another file." : NULL;
}

int64_t reduced_side(int64_t side, int64_t reduction) { return (side + reduction - 1) / reduction; }

int64_t reduction_for(const Shown *shown, int64_t width, int64_t height) {
  int64_t reduction = 1;
  while (reduction < 8 && shown->info->width / (2 * reduction) >= width &&
         shown->info->height / (2 * reduction) >= height) {
    reduction *= 2;
  }
  return reduction;
}

static size_t bytes_of(const pcai_info *info) {
  return info->type == PCAI_U8 ? 1 : info->type == PCAI_F32 ? 4 : 2;
}

static double value_at(const pcai_info *info, const uint8_t *data, size_t place) {
  uint16_t half;
  float real;
  if (info->type == PCAI_U8) return data[place];
  if (info->type == PCAI_F32) return memcpy(&real, data + 4 * place, 4), real == real ? (double)real : 0;
  memcpy(&half, data + 2 * place, 2);
  return info->type == PCAI_I16 ? (double)(int16_t)half : (double)half;
}

/* How the three colours come from channels. */
typedef struct {
  size_t channel[3];
  double low[3], high[3];
} Look;

/* A picture while it is painted: of one image, or of all that is needed to tell its ranges. */
typedef struct {
  const Shown *shown;
  int64_t reduction, columns, rows, first; /* the first of the image's lines */
  size_t apart;
  uint8_t *lines;
} Painting;

static int is_plain(const pcai_info *info) { return info->channels < 5 && info->type <= PCAI_U16; }

/* Where colours have ranges of their own, they begin empty. */
static Look look_of(const pcai_info *info) {
  Look look;
  for (int i = 0; i < 3; i++) {
    int64_t channel = info->channels < 3 ? 0 : is_plain(info) ? i : (5 - 2 * i) * info->channels / 6;
    look.channel[i] = (size_t)channel;
    look.low[i] = is_plain(info) ? 0 : 1e300;
    look.high[i] = is_plain(info) ? info->peak : -1e300;
  }
  return look;
}

static int begin_painting(Painting *painting, const Shown *shown, int64_t image, int64_t reduction, int64_t lines) {
  const pcai_info *info = shown->info;
  painting->shown = shown;
  painting->reduction = reduction;
  painting->columns = reduced_side(info->width, reduction);
  painting->rows = reduced_side(info->height, reduction);
  painting->first = image * painting->rows;
  painting->apart = (size_t)(painting->columns * info->channels) * bytes_of(info);
  painting->lines = malloc((size_t)lines * painting->apart);
  return painting->lines != NULL;
}

/* Widens the ranges of colours by those of an image at an eighth of its size. */
static int find_ranges(const Shown *shown, int64_t image, Look *look) {
  const pcai_info *info = shown->info;
  Painting small;
  if (!begin_painting(&small, shown, image, 8, STRIP)) return PCAI_MEMORY;
  int fault = 0;
  for (int64_t row = 0; !fault && row < small.rows; row += STRIP) {
    int64_t stop = row + STRIP < small.rows ? row + STRIP : small.rows;
    fault = pcai_lines(shown->file, info->k, small.first + row, small.first + stop, 8, small.lines, small.apart);
    for (size_t i = 0; !fault && i < (size_t)((stop - row) * small.columns); i++) {
      for (int colour = 0; colour < 3; colour++) {
        double value = value_at(info, small.lines, i * (size_t)info->channels + look->channel[colour]);
        if (value < look->low[colour]) look->low[colour] = value;
        if (value > look->high[colour]) look->high[colour] = value;
      }
    }
  }
  free(small.lines);
  return fault;
}

/* Paints lines of the picture, from line `start` on, opaque. */
static void paint_lines(const Painting *painting, const Look *look, int64_t start, int64_t stop, uint8_t *to,
                        size_t apart) {
  const pcai_info *info = painting->shown->info;
  for (int64_t line = start; line < stop; line++) {
    const uint8_t *from = painting->lines + (size_t)(line - start) * painting->apart;
    uint8_t *pixel = to + (size_t)line * apart;
    for (int64_t x = 0; x < painting->columns; x++, pixel += 4) {
      for (int colour = 0; colour < 3; colour++) {
        double value = value_at(info, from, (size_t)(x * info->channels) + look->channel[colour]);
        double range = look->high[colour] - look->low[colour];
        double share = (value - look->low[colour]) / (range > 0 ? range : 1) * 255 + 0.5;
        pixel[colour] = (uint8_t)(share < 0 ? 0 : share > 255 ? 255 : share);
      }
      pixel[3] = 255;
    }
  }
}

/* Puts means of opacity into a picture. */
static int paint_alpha(const Painting *painting, uint8_t *to, size_t apart) {
  const pcai_info *info = painting->shown->info;
  const int64_t width = info->width, reduction = painting->reduction;
  const double white = info->type == PCAI_U8 ? 255 : 65535;
  uint8_t *alpha = malloc((size_t)(info->lines * width) * bytes_of(info));
  int fault = alpha ? pcai_alpha(painting->shown->file, alpha) : PCAI_MEMORY;
  int64_t top = painting->first / painting->rows * info->height;
  for (int64_t i = 0; !fault && i < painting->rows * painting->columns; i++) {
    int64_t row = i / painting->columns * reduction, column = i % painting->columns * reduction, number = 0;
    double total = 0;
    for (int64_t y = row; y < row + reduction && y < info->height; y++) {
      for (int64_t x = column; x < column + reduction && x < width; x++, number++)
        total += value_at(info, alpha, (size_t)((top + y) * width + x));
    }
    uint8_t *pixel = to + (size_t)(i / painting->columns) * apart + 4 * (size_t)(i % painting->columns);
    pixel[3] = (uint8_t)(total / (double)number / white * 255 + 0.5);
  }
  free(alpha);
  return fault;
}

/* Makes the picture in pieces: those that are corrected together, or strips. */
static int paint_image(const Painting *painting, const Look *look, int64_t pieces, uint8_t *to, size_t apart) {
  const Shown *shown = painting->shown;
  const int64_t k = shown->info->k, end = painting->first + painting->rows;
  int fault = 0;
  for (int64_t piece = 0; !fault && piece < pieces; piece++) {
    int64_t start = painting->first + piece * STRIP, stop = start + STRIP < end ? start + STRIP : end;
    if (shown->info->corrections && painting->reduction == 1) pcai_corrected(shown->file, piece, &start, &stop);
    fault = pcai_lines(shown->file, k, start, stop, painting->reduction, painting->lines, painting->apart);
    if (!fault && shown->info->corrections && painting->reduction == 1)
      fault = pcai_correct(shown->file, piece, painting->lines, painting->apart);
    if (!fault) paint_lines(painting, look, start - painting->first, stop - painting->first, to, apart);
  }
  if (!fault && shown->info->alpha) fault = paint_alpha(painting, to, apart);
  return fault;
}

const char *paint_shown(Shown *shown, int64_t image, int64_t reduction, uint8_t *to, size_t apart) {
  const pcai_info *info = shown->info;
  int64_t pieces = (reduced_side(info->height, reduction) + STRIP - 1) / STRIP, lines = STRIP;
  int fault = 0;
  for (int64_t part = 0; !fault && part < info->parts; part++) fault = pcai_decode(shown->file, part, info->k);
  if (info->corrections && reduction == 1) {
    pieces = info->corrections;
    for (int64_t part = 0; part < pieces; part++) {
      int64_t start = 0, stop = 0;
      pcai_corrected(shown->file, part, &start, &stop);
      if (stop - start > lines) lines = stop - start;
    }
  }
  Look look = look_of(info);
  if (!fault && !is_plain(info)) fault = find_ranges(shown, image, &look);
  Painting painting;
  if (!begin_painting(&painting, shown, image, reduction, lines)) return NO_MEMORY;
  if (!fault) fault = paint_image(&painting, &look, pieces, to, apart);
  free(painting.lines);
  return fault == PCAI_MEMORY ? NO_MEMORY : fault ? pcai_reason(shown->file, NULL) : NULL;
}

void close_shown(Shown *shown) {
  pcai_close(shown->file);
  memset(shown, 0, sizeof *shown);
}
