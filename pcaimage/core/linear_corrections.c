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

/* The greatest error, and whether numbers are coded directly: what comes after the number of components. */
static int64_t find_kind(const pcai *file, int64_t *place) {
  *place = 0;
  read_number(file->residual, place);
  return read_number(file->residual, place);
}

int is_direct(const pcai *file) {
  int64_t place, kind = file->residual.data ? find_kind(file, &place) : 0;
  return kind > 0 && kind % 2 == 1;
}

int64_t corrections_size(const pcai *file) {
  const Header *header = &file->header;
  if (!file->residual.data) return 0;
  Layout layout = layout_of(file, least(header->slice_lines, header->height), header->slice_columns);
  if (is_direct(file)) {
    return (int64_t)sizeof(Shapes) + least(4, corrections_of(header)) * direct_memory(&layout) +
           layout.lines * header->width * header->channels * bytes_of(header);
  }
  return least(4, corrections_of(header)) * planes_size(&layout);
}

/* Finds the streams, and the bound of errors. */
static int find_streams(const pcai *file, Bytes *streams, int64_t *error) {
  Bytes payload = file->residual;
  int64_t place, count = file->info.corrections * across_of(&file->header);
  int64_t offset = (int64_t)(payload.data - file->data.data), kind = find_kind(file, &place);
  *error = kind >> 1;
  if (kind < 0 || *error > MOST_ERROR) {
    return fault_of(file, PCAI_DAMAGED, "Corrections up to such an error are out of range.", offset);
  }
  *streams = (Bytes){payload.data + place, payload.size - place};
  if (!has_streams(*streams, count)) {
    return fault_of(file, PCAI_DAMAGED, "The corrections have another length than is announced.", offset);
  }
  return PCAI_OK;
}

/* Corrects the values of some bands up to the one that was read last, in a slice that begins at a pixel. */
static void correct_bands(const pcai *file, const Planes *planes, const int32_t *numbers, int64_t start, int64_t stop,
                          int64_t step, int64_t first, uint8_t *lines, int64_t apart) {
  const Header *header = &file->header;
  const Linear *own = file->own;
  const Layout *layout = &planes->layout;
  const Values values = values_of(header);
  const int64_t pixels = header->height * header->width, size = bytes_of(header);
  const int64_t lowest = (int64_t)values.lowest, highest = (int64_t)values.highest;
  numbers -= (stop - 1 - start) * planes->known.area;
  for (int64_t i = 0; i < layout->lines; i++, numbers += planes->known.stride, lines += apart) {
    for (int64_t band = start; band < stop; band++) {
      const int32_t *line = numbers + (band - start) * planes->known.area;
      for (int64_t j = 0, index = band; j < layout->columns; j++, index += header->channels) {
        if (is_missing(&own->missing, pixels, first + i * header->width + j, band)) continue;
        int32_t value = (int32_t)within(whole_at(&values, lines, index) + step * line[j], lowest, highest);
        put_values(&values, &value, 1, lines + index * size);
      }
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
    uint8_t *there = lines + left * header->channels * bytes_of(header);
    if (own->shapes) {
      fault = direct_slice(file, stream, &layout, 2 * error + 1, there, apart);
      continue;
    }
    Planes *planes = begin_planes(file, &layout, &own->curves, stream);
    if (!planes) return no_memory(file);
    for (int64_t band = 0, known = 0; band < header->channels; band++) {
      const int32_t *numbers = next_plane(planes);
      /* As many at once as are kept, for bands are beside each other in lines. */
      if (planes->slot < planes->slots && band + 1 < header->channels) continue;
      correct_bands(file, planes, numbers, known, band + 1, 2 * error + 1, start * header->width + left, there, apart);
      known = band + 1;
    }
    give_back(file, planes);
  }
  for (int64_t i = start; own->shapes && !fault && i < stop; i++) put_missing_of_line(file, i, lines + (i - start) * apart);
  return fault;
}
