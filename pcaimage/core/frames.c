/* Pixels of whole images, coded by prediction among pixels and from the image before: opacity, and stacks of few
 * colours, whose pixels do not depend on components. */
#include "exact.h"
#include "pixels.h"

/* Pixels of a slice at most: of one image, and of several. */
enum { PIXELS_OF_TILES = 1 << 21, PIXELS_OF_FRAMES = 1 << 24 };

/* What slices are divided into: images, or rows of tiles of a single one; and lines of each. */
static int64_t units_of(const Header *header, int64_t *each) {
  *each = header->images > 1 ? header->height : PIXELS_TILE;
  return header->images > 1 ? header->images : (header->height + PIXELS_TILE - 1) / PIXELS_TILE;
}

int64_t frame_slices(const Header *header) {
  int64_t each, room = header->images > 1 ? PIXELS_OF_FRAMES : PIXELS_OF_TILES;
  return least(units_of(header, &each), (header->images * header->height * header->width + room - 1) / room);
}

void frame_lines(const Header *header, int64_t number, int64_t *start, int64_t *stop) {
  int64_t each, units = units_of(header, &each), count = frame_slices(header);
  *start = units * number / count * each;
  *stop = least(units * (number + 1) / count * each, header->images * header->height);
}

static int64_t tiles_of(const Header *header, int64_t lines) {
  const int64_t height = least(lines, header->height), side = PIXELS_TILE;
  return lines / height * ((height + side - 1) / side) * ((header->width + side - 1) / side);
}

int decode_frames(const pcai *file, const CurveTables *curves, Bytes chunk, int64_t number, int64_t channels,
                  uint8_t *pixels) {
  const Header *header = &file->header;
  int64_t start, stop;
  frame_lines(header, number, &start, &stop);
  uint8_t *coded = take_cleared(file, tiles_of(header, stop - start));
  if (!coded) return no_memory(file);
  int fault = decode_tiles(file, curves, stream_at(chunk, frame_slices(header), number), stop - start,
                           least(stop - start, header->height), channels, coded,
                           pixels + start * header->width * channels);
  give_back(file, coded);
  return fault;
}

/* A stack whose slices are parts. */
typedef struct {
  CurveTables curves;
  uint8_t *pixels, *is_decoded;
} Frames;

static int prepare(pcai *file) {
  const Header *header = &file->header;
  const int64_t count = frame_slices(header), size = numbers_of(header);
  const int64_t lines = (header->images + count - 1) / count * header->height;
  if (!has_streams(file->tiles, count)) return fault_of(file, PCAI_DAMAGED, "The tiles are damaged.", -1);
  file->info.parts = count;
  file->info.memory = (uint64_t)((int64_t)sizeof(Frames) + size + file->data.size + 8 * TAKEN_BESIDE +
                                 least(count, 4) * (pcai_tiles_size(lines, header->width) + tiles_of(header, lines)));
  if (file->info.memory > file->host.most_memory) return too_large(file);
  Frames *frames = file->own = take_cleared(file, sizeof(Frames));
  if (!frames) return no_memory(file);
  pcai_make_curves(&frames->curves);
  frames->pixels = take(file, size);
  frames->is_decoded = take_cleared(file, count);
  return frames->pixels && frames->is_decoded ? PCAI_OK : no_memory(file);
}

static int decode(pcai *file, int64_t part, int64_t k) {
  Frames *frames = file->own;
  (void)k;
  if (__atomic_load_n(frames->is_decoded + part, __ATOMIC_ACQUIRE)) return PCAI_OK;
  int fault = decode_frames(file, &frames->curves, file->tiles, part, file->header.channels, frames->pixels);
  if (!fault) __atomic_store_n(frames->is_decoded + part, 1, __ATOMIC_RELEASE);
  return fault;
}

static int lines_of(const pcai *file, int64_t part, int64_t *start, int64_t *stop) {
  frame_lines(&file->header, part, start, stop);
  return PCAI_OK;
}

void paint_line(const Header *header, const uint8_t *image, int64_t y, int64_t x, int64_t count, int64_t reduction,
                uint8_t *to) {
  const int64_t channels = header->channels, top = y * reduction,
                lines = least(reduction, header->height - top);
  const uint8_t *pixels = image + (top * header->width + x * reduction) * channels;
  if (reduction == 1) {
    memcpy(to, pixels, (size_t)(count * channels));
    return;
  }
  for (int64_t i = 0; i < count; i++, pixels += reduction * channels) {
    int64_t columns = least(reduction, header->width - (x + i) * reduction), area = lines * columns;
    for (int64_t c = 0; c < channels; c++) {
      int64_t sum = area / 2;
      for (int64_t place = 0; place < area; place++) {
        sum += pixels[(place / columns * header->width + place % columns) * channels + c];
      }
      *to++ = (uint8_t)(sum / area);
    }
  }
}

static int lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                 int64_t apart) {
  const Frames *frames = file->own;
  const Header *header = &file->header;
  const int64_t high = (header->height + reduction - 1) / reduction;
  const int64_t last = stop - 1, first = start / high * header->height + start % high * reduction;
  (void)k;
  for (int64_t i = 0, from, end; i < file->info.parts; i++) {
    frame_lines(header, i, &from, &end);
    if (from <= last / high * header->height + last % high * reduction && end > first &&
        !__atomic_load_n(frames->is_decoded + i, __ATOMIC_ACQUIRE))
      return fault_of(file, PCAI_UNREADY, "A part that these lines need is not decoded.", -1);
  }
  for (int64_t y = start; y < stop; y++, to += apart) {
    const uint8_t *image = frames->pixels + y / high * header->height * header->width * header->channels;
    paint_line(header, image, y % high, 0, (header->width + reduction - 1) / reduction, reduction, to);
  }
  return PCAI_OK;
}

static void close(pcai *file) {
  Frames *frames = file->own;
  if (!frames) return;
  give_back(file, frames->pixels);
  give_back(file, frames->is_decoded);
  give_back(file, frames);
  file->own = NULL;
}

const Method FRAMES_METHOD = {prepare, decode, NULL, NULL, lines_of, lines, NULL, close};
