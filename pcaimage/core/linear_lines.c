/* Lines of the linear method: sums of components, exact in numbers of double precision, in any order
 * (format.md, section 6).
 *
 * Samples and features are summed in tiles. Products of numbers of 16 bits are summed in 32 bits as far as they
 * fit, which is several times as fast as in double precision; larger numbers are two such. */
#include "linear.h"

/* A tile has so many samples and features, or the other way round where there are fewer than FEW features; so
 * many terms are a run at most. Of larger numbers, so many bits are low: no partial sum exceeds the bound. */
enum { ROWS_OF_TILE = 32, COLUMNS = 64, TERMS = 64, FEW = 8, LOW_BITS = 13 };

/* Neighbouring samples of a part of the scores, and features of a part of the vectors, whose values are to be
 * written: a sample's beside each other, those of the next one `apart` bytes further. */
typedef struct {
  const Part *scores, *vectors;
  int64_t sample, samples, feature, features;
  uint8_t *to;
  int64_t apart;
} Area;

/* Which share of a component's scores, shifted, is multiplied with which share of its entries. The first term
 * of a run says how many have sums that fit into 32 bits, and in which unit these are. */
typedef enum { ENTIRE, LOWER, UPPER } Share;
typedef struct {
  Share scores, entries;
  int64_t component, shift, count;
  double unit;
} Term;

/* What is the same for all areas of a call. */
typedef struct {
  const pcai *file;
  const Linear *own;
  int64_t k;
  Values values;
  const Term *terms, *end;
} Job;

/* Products of pairs of terms are added at once: a panel has both of each pair beside each other. */
typedef int16_t Panel[TERMS / 2][COLUMNS][2];

Values values_of(const Header *header) {
  static const double LOWEST[4] = {0, 0, -32768, -16777216}, HIGHEST[4] = {255, 65535, 32767, 16777216};
  Values values = {LOWEST[header->type - 1], HIGHEST[header->type - 1], power_of_two(-header->value_bits),
                   header->type};
  if (header->type == PCAI_U16) values.highest = header->peak;
  return values;
}

int64_t terms_size(int64_t k) { return 4 * most(k, 1) * (int64_t)sizeof(Term); }

/* Returns the largest magnitude of a share of numbers; -1 if they do not have it. */
static int64_t share_of(const int32_t *largest, int64_t upper, Share *share) {
  int64_t found = __atomic_load_n(largest, __ATOMIC_RELAXED);
  *share = found <= INT16_MAX ? ENTIRE : upper ? UPPER : LOWER;
  return *share != ENTIRE ? 1 << LOW_BITS : upper ? -1 : found;
}

/* Plans which products are added up together; returns where they end. What other threads find meanwhile is in
 * parts that are not asked for. */
static const Term *plan_terms(const pcai *file, int64_t k, Term *terms) {
  const Linear *own = file->own;
  const Header *header = &file->header;
  Term *run = terms, *next = terms;
  for (int64_t i = 0, unit = 0, total = 0; i < 4 * k; i++) {
    int64_t component = i % k, upper = i / k & 1, upper_too = i / k >> 1;
    Term term = {.component = component};
    int64_t scores = share_of(own->largest_scores + component, upper, &term.scores);
    int64_t entries = share_of(own->largest_entries + component, upper_too, &term.entries);
    int64_t finest = LOW_BITS * (upper + upper_too) - file->components[component].precision;
    if (scores < 0 || entries < 0) continue;
    term.shift = finest - unit;
    int fits = next > run && run->count < TERMS && term.shift >= 0 && term.shift < 16;
    fits = fits && scores << term.shift <= INT16_MAX;
    if (!fits || total + (scores << term.shift) * entries > INT32_MAX) {
      run = next;
      unit = finest;
      total = term.shift = 0;
      term.unit = (double)header->mantissa * power_of_two(header->exponent - header->scale_bits + unit);
    }
    total += (scores << term.shift) * entries;
    *next++ = term;
    run->count++;
  }
  return next;
}

/* Loads a share of numbers, and zeros up to a multiple of eight. */
ALWAYS_INLINE void load_share(const Numbers *numbers, int64_t first, int64_t count, Share share, int64_t shift,
                              int16_t *restrict to) {
  if (share == ENTIRE && !numbers->wide) {
    const int16_t *narrow = (const int16_t *)numbers->at + first;
    for (int64_t i = 0; i < count; i++) to[i] = (int16_t)(narrow[i] * (1 << shift));
  } else {
    for (int64_t i = 0; i < count; i++) {
      int32_t number = number_at(numbers, first + i);
      int32_t high = share == ENTIRE ? 0 : (number + (1 << (LOW_BITS - 1))) >> LOW_BITS;
      int32_t part = share == UPPER ? high : number - high * (1 << LOW_BITS);
      to[i] = (int16_t)(part * (1 << shift));
    }
  }
  for (int64_t i = count; i % 8; i++) to[i] = 0;
}

/* Packs the numbers of a run's terms, those of samples or of features. */
ALWAYS_INLINE void pack(const Term *run, const Part *part, int scores, int64_t first, int64_t count,
                        Panel panel) {
  int16_t loaded[2][COLUMNS];
  for (int64_t i = 0; i < run->count; i++) {
    const Term *term = run + i;
    load_share(part->numbers + term->component, first, count, scores ? term->scores : term->entries,
               scores ? term->shift : 0, loaded[i % 2]);
    if (i + 1 < run->count && i % 2 == 0) continue;
    if (i % 2 == 0) memset(loaded[1], 0, sizeof loaded[1]);
    for (int64_t j = 0; j < (count + 7) / 8 * 8; j++) {
      panel[i / 2][j][0] = loaded[0][j];
      panel[i / 2][j][1] = loaded[1][j];
    }
  }
}

/* Adds up products of pairs of terms for four rows and eight columns at a time, in registers. */
ALWAYS_INLINE void add_products(const Term *run, const Panel rows, const Panel columns, int64_t n_rows,
                                int64_t n_columns, int32_t (*sums)[COLUMNS]) {
  int64_t pairs = (run->count + 1) / 2;
  for (int64_t i = 0; i < n_rows; i += 4) {
    for (int64_t f = 0; f < n_columns; f += 8) {
      Ints found[4][2] = {{{0}}};
      for (int64_t j = 0; j < pairs; j++) {
        Shorts first, second;
        memcpy(&first, columns[j] + f, sizeof first);
        memcpy(&second, columns[j] + f + 4, sizeof second);
        WRITTEN_OUT
        for (int row = 0; row < 4; row++) {
          int32_t pair;
          memcpy(&pair, rows[j][i + row], sizeof pair);
          const Ints same = {pair, pair, pair, pair};
          found[row][0] += pair_products((Shorts)same, first);
          found[row][1] += pair_products((Shorts)same, second);
        }
      }
      for (int row = 0; row < 4; row++) memcpy(sums[i + row] + f, found[row], sizeof found[row]);
    }
  }
}

/* Sums up a tile: a row for each sample, or for each feature if there are few. */
ALWAYS_INLINE void sum_up(const Job *job, const Area *area, int few, double (*sums)[COLUMNS]) {
  Panel scores, entries;
  int32_t whole[ROWS_OF_TILE][COLUMNS];
  int64_t samples = area->samples, features = area->features;
  int64_t rows = few ? features : samples, columns = few ? samples : features;
  memset(sums, 0, (size_t)rows * sizeof *sums);
  for (const Term *run = job->terms; run < job->end; run += run->count) {
    pack(run, area->scores, 1, area->sample, samples, scores);
    pack(run, area->vectors, 0, area->feature, features, entries);
    add_products(run, few ? entries : scores, few ? scores : entries, rows, columns, whole);
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t f = 0; f < columns; f++) sums[i][f] += whole[i][f] * run->unit;
    }
  }
}

/* Bounds sums, and rounds them to whole numbers of the unit, halves up. */
ALWAYS_INLINE void round_up(const Values *values, const double *restrict sums, const double *restrict mean,
                            const double *restrict scale, int64_t count, int32_t *restrict whole) {
  double low = values->lowest, high = values->highest, finer = 1 / values->unit;
  for (int64_t i = 0; i < count; i++) {
    double value = (mean[i] + sums[i] * scale[i]) * finer;
    value = value > low ? value : low;
    value = (value < high ? value : high) + 0.5;
    double cut = (int32_t)value;
    whole[i] = (int32_t)(cut > value ? cut - 1 : cut);
  }
}

/* Makes a tile. */
ALWAYS_INLINE void make_tile(const Job *job, const Area *area) {
  double sums[ROWS_OF_TILE][COLUMNS], flat[COLUMNS * FEW], mean[COLUMNS * FEW], scale[COLUMNS * FEW];
  int32_t whole[COLUMNS * FEW];
  int64_t features = area->features, count = features * area->samples, size = bytes_of(&job->file->header);
  const Part *vectors = area->vectors;
  int few = features < FEW;
  sum_up(job, area, few, sums);
  for (int64_t i = 0, feature = area->feature; i < features; i++, feature++) {
    mean[i] = number_at(&vectors->mean, feature) * power_of_two(-job->file->header.mean_bits);
    scale[i] = job->file->header.standardized ? number_at(&vectors->scale, feature) : 1;
  }
  if (!few) {
    for (int64_t i = 0; i < area->samples; i++) {
      round_up(&job->values, sums[i], mean, scale, features, whole);
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
  round_up(&job->values, flat, mean, scale, count, whole);
  if (area->apart == features * size) {
    put_values(&job->values, whole, count, area->to);
    return;
  }
  for (int64_t i = 0; i < area->samples; i++) {
    put_values(&job->values, whole + i * features, features, area->to + i * area->apart);
  }
}

EITHER_WIDTH(static, make_one, make_tile, (const Job *job, const Area *area), (job, area))

/* Makes an area tile by tile; returns a fault if something of it is not decoded. */
static int make_area(const Job *job, const Area *area) {
  int64_t at_once = area->features < FEW ? COLUMNS : ROWS_OF_TILE, size = bytes_of(&job->file->header);
  if (area->scores->done < job->k || area->vectors->done < job->k) {
    return fault_of(job->file, PCAI_UNREADY, "A part that these lines need is not decoded so far.", -1);
  }
  for (int64_t sample = 0; sample < area->samples; sample += at_once) {
    for (int64_t feature = 0; feature < area->features; feature += COLUMNS) {
      Area tile = *area;
      tile.sample += sample;
      tile.samples = least(at_once, area->samples - sample);
      tile.feature += feature;
      tile.features = least(COLUMNS, area->features - feature);
      tile.to += sample * area->apart + feature * size;
      make_one(job, &tile);
    }
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
  int64_t run = block * header->channels, size = bytes_of(header), number = row / header->slice_lines * own->across;
  Area area = {.scores = own->parts + own->vectors + number, .apart = run * size, .features = run, .to = to};
  area.vectors = vectors_at(own, line % block, &area.feature);
  int64_t last = header->width * header->channels - (columns - 1) * run;
  if (last == run) {
    int fault = PCAI_OK;
    for (int64_t i = 0; i < own->across && !fault; i++, area.scores++) {
      area.samples = area.scores->right - area.scores->left;
      area.sample = (row - area.scores->start) * area.samples;
      area.to = to + area.scores->left * area.apart;
      fault = make_area(job, &area);
    }
    return fault;
  }
  area.sample = (row - area.scores->start) * columns;
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

void put_missing_of_line(const pcai *file, int64_t line, uint8_t *to) {
  const Header *header = &file->header;
  const Missing *missing = &((const Linear *)file->own)->missing;
  const Values values = values_of(header);
  int64_t pixels = header->height * header->width, channels = header->channels;
  if (!missing->measured) return;
  for (int64_t i = 0; i < header->width; i++) {
    int64_t pixel = line * header->width + i;
    for (int64_t c = 0; c < channels; c++) {
      if (is_missing(missing, pixels, pixel, c)) put_missing(missing, &values, to, i * channels + c);
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
    if (!fault) put_missing_of_line(job->file, line, to);
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

/* Lines that are coded directly, with those that are decoded with them behind, whose first is known. */
static int read_directly(const Job *job, int64_t start, int64_t stop, uint8_t *to, int64_t apart, int64_t room, int64_t *known) {
  int64_t each = job->file->header.slice_lines;
  uint8_t *slices = to + room * apart;
  int fault = PCAI_OK;
  for (int64_t line = start; !fault && line < stop; line++, to += apart) {
    int64_t first = line / each * each;
    if (first != *known) {
      fault = correct_lines(job->file, first / each, first, least(first + each, job->file->header.height), slices, apart);
    }
    *known = first;
    memcpy(to, slices + (line - first) * apart, (size_t)apart);
  }
  return fault;
}

static int make_reduced_lines(const Job *job, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                              int64_t apart) {
  const Header *header = &job->file->header;
  int64_t lines = (header->height + reduction - 1) / reduction,
          columns = (header->width + reduction - 1) / reduction;
  int64_t whole = header->width * header->channels * bytes_of(header);
  int64_t beside = job->own->shapes ? least(header->slice_lines, header->height) : 0, known = -1;
  uint8_t *buffer = take(job->file, (reduction + beside) * whole);
  int fault = buffer ? PCAI_OK : no_memory(job->file);
  for (int64_t line = start; !fault && line < stop; line++, to += apart) {
    int64_t inside = line % lines * reduction, first = line / lines * header->height + inside;
    int64_t count = least(reduction, header->height - inside);
    fault = beside ? read_directly(job, first, first + count, buffer, whole, reduction, &known)
                   : make_whole_lines(job, first, first + count, buffer, whole);
    for (int64_t i = 0; !fault && i < columns * header->channels; i++) {
      int64_t column = i / header->channels * reduction;
      put_mean(job, buffer, first, count, column, least(column + reduction, header->width),
               i % header->channels, to, i);
    }
  }
  give_back(job->file, buffer);
  return fault;
}

int linear_lines(const pcai *file, int64_t k, int64_t start, int64_t stop, int64_t reduction, uint8_t *to,
                 int64_t apart) {
  Job job = {.file = file, .own = file->own, .k = k, .values = values_of(&file->header)};
  for (int64_t i = start; job.own->shapes && reduction == 1 && i < stop; i++, to += apart) {
    memset(to, 0, (size_t)(file->header.width * file->header.channels * bytes_of(&file->header)));
  }
  if (job.own->shapes && reduction == 1) return PCAI_OK;
  if (!sums_are_exact(file, k)) {
    return fault_of(file, PCAI_DAMAGED, "The numbers of the image are out of range.", -1);
  }
  Term *terms = take(file, terms_size(k));
  if (!terms) return no_memory(file);
  job.terms = terms;
  job.end = plan_terms(file, k, terms);
  int fault = reduction > 1 ? make_reduced_lines(&job, start, stop, reduction, to, apart)
                            : make_whole_lines(&job, start, stop, to, apart);
  give_back(file, terms);
  return fault;
}
