/* Corrections of bands: what makes values exact, or wrong by no more than a bound (format.md, section 5.8).
 */
#include "linear.h"

enum { PIXELS_OF_SLICE = 1 << 16, MOST_ERROR = 1 << 16 };

int64_t corrections_of(const Header *header) {
  return least(header->height, (header->height * header->width + PIXELS_OF_SLICE - 1) / PIXELS_OF_SLICE);
}

static Layout layout_of(const pcai *file, int64_t start, int64_t stop) {
  const Linear *own = file->own;
  int64_t width = file->header.width;
  Layout layout = {.lines = stop - start,
                   .columns = width,
                   .numbers = (stop - start) * width,
                   .first = 0,
                   .last = 4,
                   .count = file->header.channels};
  if (own && own->missing.measured) layout.mask = own->missing.measured + start * width;
  return layout;
}

int64_t corrections_size(const pcai *file) {
  if (!file->residual.data) return 0;
  int64_t count = corrections_of(&file->header);
  Layout layout = layout_of(file, 0, file->header.height / count + 1);
  return least(4, count) * planes_size(&layout);
}

/* Finds the stream of a part, and the bound of errors. */
static int find_stream(const pcai *file, int64_t part, Bytes *stream, int64_t *error) {
  Bytes payload = file->residual;
  int64_t place = 0, count = file->info.corrections;
  int64_t offset = (int64_t)(payload.data - file->data.data);
  read_number(payload, &place); /* the number of components, which is known */
  *error = read_number(payload, &place);
  if (*error < 0 || *error > MOST_ERROR) {
    return fault_of(file, PCAI_DAMAGED, "Corrections up to such an error are out of range.", offset);
  }
  Bytes streams = {payload.data + place, payload.size - place};
  if (!has_streams(streams, count)) {
    return fault_of(file, PCAI_DAMAGED, "The corrections have another length than is announced.", offset);
  }
  *stream = stream_at(streams, count, part);
  return PCAI_OK;
}

/* Corrects the values of one band. */
static void correct_band(const pcai *file, Planes *planes, int64_t band, int64_t step, int64_t first,
                         uint8_t *lines, int64_t apart) {
  const Header *header = &file->header;
  const Linear *own = file->own;
  const Layout *layout = &planes->layout;
  Values values = values_of(header);
  int64_t pixels = header->height * header->width, pixel = first * header->width, size = bytes_of(header);
  const int32_t *numbers = next_plane(planes);
  for (int64_t i = 0; i < layout->lines; i++, numbers += planes->known.stride, lines += apart) {
    for (int64_t j = 0; j < layout->columns; j++, pixel++) {
      if (is_missing(&own->missing, pixels, pixel, band)) continue;
      int64_t index = j * header->channels + band,
              whole = whole_at(&values, lines, index) + step * numbers[j];
      int32_t value = (int32_t)within(whole, (int64_t)values.lowest, (int64_t)values.highest);
      put_values(&values, &value, 1, lines + index * size);
    }
  }
}

int correct_lines(const pcai *file, int64_t part, int64_t start, int64_t stop, uint8_t *lines, int64_t apart) {
  const Linear *own = file->own;
  int64_t error;
  Bytes stream = {NULL, 0};
  int fault = find_stream(file, part, &stream, &error);
  if (fault) return fault;
  Layout layout = layout_of(file, start, stop);
  Planes *planes = begin_planes(file, &layout, &own->curves, stream);
  if (!planes) return no_memory(file);
  for (int64_t band = 0; band < file->header.channels; band++) {
    correct_band(file, planes, band, 2 * error + 1, start, lines, apart);
  }
  give_back(file, planes);
  return PCAI_OK;
}
