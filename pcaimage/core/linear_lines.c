/* Lines of the linear method: sums of components, exact in numbers of double precision, in any order
 * (format.md, section 6).
 *
 * Samples and features are summed in tiles, of which a line's features are one row. */
#include "linear.h"
#include "wide.h"

/* A tile has so many samples and features, or the other way round where there are fewer than FEW features; so
 * many components are added up at once, in fours. */
enum { ROWS_OF_TILE = 32, COLUMNS = 64, TERMS = 16, FEW = 8, TILE = ROWS_OF_TILE * COLUMNS };

/* Neighbouring samples of a part of the scores, and features of a part of the vectors, whose values are to be
 * written: a sample's beside each other, those of the next one `apart` bytes further. */
typedef struct {
  const Part *scores, *vectors;
  int64_t sample, samples, feature, features;
  uint8_t *to;
  int64_t apart;
} Area;

/* What is the same for all areas of a call. */
typedef struct {
  const pcai *file;
  const Linear *own;
  int64_t k;
  Values values;
  double mean_unit;
} Job;

double power_of_two(int64_t exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

Values values_of(const Header *header) {
  static const double LOWEST[4] = {0, 0, -32768, -16777216}, HIGHEST[4] = {255, 65535, 32767, 16777216};
  Values values = {LOWEST[header->type - 1], HIGHEST[header->type - 1], power_of_two(-header->value_bits),
                   header->type};
  if (header->type == PCAI_U16) values.highest = header->peak;
  return values;
}

ALWAYS_INLINE void load(const Numbers *numbers, int64_t first, int64_t count, double factor,
                        double *restrict to) {
  const int32_t *wide = (const int32_t *)numbers->at + first;
  const int16_t *narrow = (const int16_t *)numbers->at + first;
  if (numbers->wide) {
    for (int64_t i = 0; i < count; i++) to[i] = wide[i] * factor;
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = narrow[i] * factor;
  }
}

/* Adds products of rows and columns to sums: four terms at once, so that sums are seldom loaded. */
ALWAYS_INLINE void add_products(double (*rows)[COLUMNS], double (*columns)[COLUMNS], int64_t terms,
                                int64_t n_rows, int64_t n_columns, double (*sums)[COLUMNS]) {
  for (int64_t i = 0; i < n_rows; i++) {
    double *restrict sum = sums[i];
    for (int64_t j = 0; j < terms; j += 4) {
      double a = rows[j][i], b = rows[j + 1][i], c = rows[j + 2][i], d = rows[j + 3][i];
      const double *restrict first = columns[j], *restrict second = columns[j + 1];
      const double *restrict third = columns[j + 2], *restrict fourth = columns[j + 3];
      for (int64_t f = 0; f < n_columns; f++) {
        sum[f] += (a * first[f] + b * second[f]) + (c * third[f] + d * fourth[f]);
      }
    }
  }
}

/* Sums up a tile: a row for each sample, or for each feature if there are few. */
ALWAYS_INLINE void sum_up(const Job *job, const Area *area, int few, double (*sums)[COLUMNS]) {
  const Header *header = &job->file->header;
  double scores[TERMS][COLUMNS], entries[TERMS][COLUMNS];
  int64_t samples = area->samples, features = area->features;
  for (int64_t i = 0; i < (few ? features : samples); i++) memset(sums[i], 0, sizeof sums[i]);
  for (int64_t first = 0; first < job->k; first += TERMS) {
    int64_t terms = least(TERMS, job->k - first), padded = (terms + 3) / 4 * 4;
    for (int64_t j = 0; j < padded; j++) {
      if (j >= terms) {
        memset(scores[j], 0, sizeof scores[j]);
        memset(entries[j], 0, sizeof entries[j]);
        continue;
      }
      int64_t shift = header->exponent - job->file->components[first + j].precision - header->scale_bits;
      double factor = (double)header->mantissa * power_of_two(shift);
      load(area->scores->numbers + first + j, area->sample, samples, factor, scores[j]);
      load(area->vectors->numbers + first + j, area->feature, features, 1, entries[j]);
    }
    if (few) {
      add_products(entries, scores, padded, features, samples, sums);
    } else {
      add_products(scores, entries, padded, samples, features, sums);
    }
  }
}

/* Rounds sums to whole numbers of the unit, halves up, and bounds them. */
ALWAYS_INLINE void round_up(const Values *values, double finer, const double *restrict sums,
                            const double *restrict mean, const double *restrict scale, int64_t count,
                            int32_t *restrict whole) {
  double low = values->lowest - 1, high = values->highest + 1;
  int32_t lowest = (int32_t)values->lowest, highest = (int32_t)values->highest;
  for (int64_t i = 0; i < count; i++) {
    double value = (mean[i] + sums[i] * scale[i]) * finer;
    value = value < low ? low : value > high ? high : value;
    int32_t cut = (int32_t)value;
    double rest = value - cut;
    cut += (rest >= 0.5) - (rest < -0.5);
    cut = cut < lowest ? lowest : cut;
    whole[i] = cut > highest ? highest : cut;
  }
}

void put_values(const Values *values, const int32_t *whole, int64_t count, uint8_t *to) {
  if (values->type == PCAI_U8) {
    for (int64_t i = 0; i < count; i++) to[i] = (uint8_t)whole[i];
  } else if (values->type == PCAI_F32) {
    for (int64_t i = 0; i < count; i++) {
      float value = (float)(whole[i] * values->unit);
      memcpy(to + 4 * i, &value, sizeof value);
    }
  } else {
    for (int64_t i = 0; i < count; i++) {
      uint16_t value = (uint16_t)whole[i];
      memcpy(to + 2 * i, &value, sizeof value);
    }
  }
}

int64_t whole_at(const Values *values, const uint8_t *lines, int64_t index) {
  uint16_t half;
  float real;
  if (values->type == PCAI_U8) return lines[index];
  if (values->type == PCAI_F32) {
    memcpy(&real, lines + 4 * index, sizeof real);
    double whole = (double)real / values->unit;
    return whole >= values->lowest && whole <= values->highest ? (int64_t)whole : 0;
  }
  memcpy(&half, lines + 2 * index, sizeof half);
  return values->type == PCAI_I16 ? (int16_t)half : half;
}

/* Makes a tile. */
ALWAYS_INLINE void make_tile(const Job *job, const Area *area) {
  double sums[ROWS_OF_TILE][COLUMNS], flat[COLUMNS * FEW], mean[COLUMNS * FEW], scale[COLUMNS * FEW];
  int32_t whole[COLUMNS * FEW];
  int64_t features = area->features, count = features * area->samples, size = bytes_of(&job->file->header);
  const Part *vectors = area->vectors;
  double finer = 1 / job->values.unit;
  int few = features < FEW;
  sum_up(job, area, few, sums);
  load(&vectors->mean, area->feature, features, job->mean_unit, mean);
  for (int64_t i = 0; i < features; i++) scale[i] = 1;
  if (job->file->header.standardized) load(&vectors->scale, area->feature, features, 1, scale);
  if (!few) {
    for (int64_t i = 0; i < area->samples; i++) {
      round_up(&job->values, finer, sums[i], mean, scale, features, whole);
      put_values(&job->values, whole, features, area->to + i * area->apart);
    }
    return;
  }
  for (int64_t i = 0, sample = 0; i < count; sample++) {
    for (int64_t j = 0; j < features; j++, i++) {
      flat[i] = sums[j][sample];
      mean[i] = mean[j];
      scale[i] = scale[j];
    }
  }
  round_up(&job->values, finer, flat, mean, scale, count, whole);
  if (area->apart == features * size) {
    put_values(&job->values, whole, count, area->to);
    return;
  }
  for (int64_t i = 0; i < area->samples; i++) {
    put_values(&job->values, whole + i * features, features, area->to + i * area->apart);
  }
}

static void make_tile_narrow(const Job *job, const Area *area) { make_tile(job, area); }

#ifdef PCAI_WIDE
WIDE static void make_tile_wide(const Job *job, const Area *area) { make_tile(job, area); }
#endif

/* Makes an area tile by tile; returns a fault if something of it is not decoded. */
static int make_area(const Job *job, const Area *area) {
  int64_t at_once = area->features < FEW ? COLUMNS : ROWS_OF_TILE, size = bytes_of(&job->file->header);
  if (area->scores->done < job->k || area->vectors->done < job->k) {
    return fault_of(job->file, PCAI_UNREADY, "A part that these lines need is not decoded so far.", -1);
  }
  for (int64_t feature = 0; feature < area->features;) {
    int64_t features = least(COLUMNS, area->features - feature);
    /* The last tile takes a few from the one before, where it would be thin. */
    if (area->features - feature - features > 0 && area->features - feature - features < FEW) features -= FEW;
    for (int64_t sample = 0; sample < area->samples; sample += at_once) {
      Area tile = *area;
      tile.sample += sample;
      tile.samples = least(at_once, area->samples - sample);
      tile.feature += feature;
      tile.features = features;
      tile.to += sample * area->apart + feature * size;
      BY_WIDTH(make_tile, job, &tile);
    }
    feature += features;
  }
  return PCAI_OK;
}

/* The part of the vectors that has a line of a sample, and the place of its first feature in it. */
static const Part *vectors_at(const Linear *own, int64_t line, int64_t *feature) {
  const Part *part = own->parts + ((line + 1) * own->vectors - 1) / own->shape[0];
  *feature = (line - part->start) * own->shape[1] * own->shape[2];
  return part;
}

/* A line of an image of blocks, or of bands: a line of blocks is one of many samples. */
static int make_line(const Job *job, int64_t line, uint8_t *to) {
  const Header *header = &job->file->header;
  const Linear *own = job->own;
  int64_t block = header->method == PCAI_BANDS ? 1 : header->block, row = line / block,
          columns = own->plane[1];
  int64_t run = block * header->channels, size = bytes_of(header), number = row / header->slice_lines;
  Area area = {.scores = own->parts + own->vectors + number, .apart = run * size, .features = run, .to = to};
  area.vectors = vectors_at(own, line % block, &area.feature);
  area.sample = (row - area.scores->start) * columns;
  area.samples = columns;
  int64_t last = header->width * header->channels - (columns - 1) * run;
  if (last == run) return make_area(job, &area);
  /* The edge cuts the last block. */
  area.samples = columns - 1;
  int fault = area.samples ? make_area(job, &area) : PCAI_OK;
  area.sample += columns - 1;
  area.samples = 1;
  area.features = last;
  area.to += (columns - 1) * area.apart;
  return fault ? fault : make_area(job, &area);
}

/* A line of each of some neighbouring images of a stack, the first of which is written at a place. */
static int make_line_of_images(const Job *job, int64_t line, int64_t first, int64_t stop, uint8_t *to,
                               int64_t apart) {
  const Linear *own = job->own;
  const Header *header = &job->file->header;
  for (int64_t image = first, next; image < stop; image = next) {
    int64_t each = header->slice_lines * own->plane[1];
    Area area = {.scores = own->parts + own->vectors + image / each,
                 .apart = apart,
                 .to = to + (image - first) * apart};
    next = least(stop, (image / each + 1) * each);
    area.vectors = vectors_at(own, line, &area.feature);
    area.features = header->width * header->channels;
    area.sample = image - area.scores->start * own->plane[1];
    area.samples = next - image;
    int fault = make_area(job, &area);
    if (fault) return fault;
  }
  return PCAI_OK;
}

static void put_missing_of_line(const Job *job, int64_t line, uint8_t *to) {
  const Header *header = &job->file->header;
  const Missing *missing = &job->own->missing;
  int64_t pixels = header->height * header->width, channels = header->channels;
  if (!missing->measured) return;
  for (int64_t i = 0; i < header->width; i++) {
    int64_t pixel = line * header->width + i;
    for (int64_t c = 0; c < channels; c++) {
      if (is_missing(missing, pixels, pixel, c)) put_missing(missing, &job->values, to, i * channels + c);
    }
  }
}

static int make_whole_lines(const Job *job, int64_t start, int64_t stop, uint8_t *to, int64_t apart) {
  int64_t height = job->file->header.height;
  int fault = PCAI_OK;
  if (job->file->header.method == PCAI_STACK) {
    for (int64_t line = 0; !fault && line < height; line++) {
      int64_t first = (start - line + height - 1) / height, last = (stop - line + height - 1) / height;
      uint8_t *there = to + (first * height + line - start) * apart;
      if (first < last) fault = make_line_of_images(job, line, first, last, there, height * apart);
    }
    return fault;
  }
  for (int64_t line = start; !fault && line < stop; line++, to += apart) {
    fault = make_line(job, line, to);
    if (!fault) put_missing_of_line(job, line, to);
  }
  return fault;
}

/* The mean of a square of whole lines, for one channel; of what is known of it, if anything is. */
static void put_mean(const Job *job, const uint8_t *lines, int64_t line, int64_t count, int64_t first,
                     int64_t last, int64_t channel, uint8_t *to, int64_t index) {
  const Header *header = &job->file->header;
  const Missing *missing = &job->own->missing;
  int64_t pixels = header->height * header->width, known = 0, total = 0;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t j = first; j < last; j++) {
      if (is_missing(missing, pixels, (line + i) * header->width + j, channel)) continue;
      total += whole_at(&job->values, lines, (i * header->width + j) * header->channels + channel);
      known++;
    }
  }
  if (!known) {
    put_missing(missing, &job->values, to, index);
  } else if (header->type == PCAI_F32) {
    float mean = (float)((double)total / (double)known * job->values.unit);
    memcpy(to + 4 * index, &mean, sizeof mean);
  } else {
    int32_t mean = (int32_t)floor_divided(2 * total + known, 2 * known);
    put_values(&job->values, &mean, 1, to + index * bytes_of(header));
  }
}

static int make_reduced_lines(const Job *job, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                              int64_t apart) {
  const Header *header = &job->file->header;
  int64_t lines = (header->height + reduction - 1) / reduction,
          columns = (header->width + reduction - 1) / reduction;
  int64_t whole = header->width * header->channels * bytes_of(header);
  uint8_t *buffer = take(job->file, reduction * whole);
  int fault = buffer ? PCAI_OK : no_memory(job->file);
  for (int64_t line = start; !fault && line < stop; line++, to += apart) {
    int64_t inside = line % lines * reduction, first = line / lines * header->height + inside;
    int64_t count = least(reduction, header->height - inside);
    fault = make_whole_lines(job, first, first + count, buffer, whole);
    for (int64_t i = 0; !fault && i < columns * header->channels; i++) {
      int64_t column = i / header->channels * reduction;
      put_mean(job, buffer, first, count, column, least(column + reduction, header->width),
               i % header->channels, to, i);
    }
  }
  give_back(job->file, buffer);
  return fault;
}

int make_lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
               int64_t apart) {
  Job job = {file, file->own, k, values_of(&file->header), power_of_two(-file->header.mean_bits)};
  if (!sums_are_exact(file, k)) {
    return fault_of(file, PCAI_DAMAGED, "The numbers of the image are out of range.", -1);
  }
  if (reduction > 1) return make_reduced_lines(&job, start, stop, reduction, to, apart);
  return make_whole_lines(&job, start, stop, to, apart);
}
