/* Corrections of bands: what makes values exact, or wrong by no more than a bound (format.md, section 5.8).
 */
#include "linear.h"

enum { MOST_ERROR = 1 << 16 };

/* A part has the slices that are beside each other. */
int64_t corrections_of(const Header *header) {
  return (header->height + header->slice_lines - 1) / header->slice_lines;
}

static int64_t across_of(const Header *header) {
  return (header->width + header->slice_columns - 1) / header->slice_columns;
}

static Layout layout_of(const pcai *file, int64_t lines, int64_t columns) {
  return (Layout){.lines = lines,
                  .columns = columns,
                  .numbers = lines * columns,
                  .first = 0,
                  .last = 4,
                  .count = file->header.channels};
}

int64_t corrections_size(const pcai *file) {
  const Header *header = &file->header;
  if (!file->residual.data) return 0;
  Layout layout = layout_of(file, least(header->slice_lines, header->height), header->slice_columns);
  return least(4, corrections_of(header)) * planes_size(&layout);
}

/* Finds the streams, and the bound of errors. */
static int find_streams(const pcai *file, Bytes *streams, int64_t *error) {
  Bytes payload = file->residual;
  int64_t place = 0, count = file->info.corrections * across_of(&file->header);
  int64_t offset = (int64_t)(payload.data - file->data.data);
  read_number(payload, &place); /* the number of components, which is known */
  *error = read_number(payload, &place);
  if (*error < 0 || *error > MOST_ERROR) {
    return fault_of(file, PCAI_DAMAGED, "Corrections up to such an error are out of range.", offset);
  }
  *streams = (Bytes){payload.data + place, payload.size - place};
  if (!has_streams(*streams, count)) {
    return fault_of(file, PCAI_DAMAGED, "The corrections have another length than is announced.", offset);
  }
  return PCAI_OK;
}

/* Corrects the values of one band in a slice that begins at a pixel. */
static void correct_band(const pcai *file, Planes *planes, int64_t band, int64_t step, int64_t first,
                         uint8_t *lines, int64_t apart) {
  const Header *header = &file->header;
  const Linear *own = file->own;
  const Layout *layout = &planes->layout;
  Values values = values_of(header);
  int64_t pixels = header->height * header->width, size = bytes_of(header);
  const int32_t *numbers = next_plane(planes);
  for (int64_t i = 0; i < layout->lines; i++, numbers += planes->known.stride, lines += apart) {
    for (int64_t j = 0; j < layout->columns; j++) {
      if (is_missing(&own->missing, pixels, first + i * header->width + j, band)) continue;
      int64_t index = j * header->channels + band,
              whole = whole_at(&values, lines, index) + step * numbers[j];
      int32_t value = (int32_t)within(whole, (int64_t)values.lowest, (int64_t)values.highest);
      put_values(&values, &value, 1, lines + index * size);
    }
  }
}

int correct_lines(const pcai *file, int64_t part, int64_t start, int64_t stop, uint8_t *lines, int64_t apart) {
  const Linear *own = file->own;
  const Header *header = &file->header;
  int64_t error, across = across_of(header), each = header->slice_columns;
  Bytes streams;
  int fault = find_streams(file, &streams, &error);
  for (int64_t i = 0; i < across && !fault; i++) {
    int64_t left = i * each;
    Layout layout = layout_of(file, stop - start, least(each, header->width - left));
    mask_slice(own, start, left, &layout);
    Bytes stream = stream_at(streams, across * file->info.corrections, part * across + i);
    Planes *planes = begin_planes(file, &layout, &own->curves, stream);
    if (!planes) return no_memory(file);
    for (int64_t band = 0; band < header->channels; band++) {
      correct_band(file, planes, band, 2 * error + 1, start * header->width + left,
                   lines + left * header->channels * bytes_of(header), apart);
    }
    give_back(file, planes);
  }
  return fault;
}
