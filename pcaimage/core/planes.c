/* Planes of whole numbers, slice by slice.
 *
 * Of all planes of a slice only those are held by which later ones are predicted: places for the very first,
 * and for a few others, of which the last ones move to the front when there is no place left. */
#include "planes.h"

#include "bands.h"

enum { FIRST_WIDTH = 46 * 16, MOST_ACTIVE = 4095 };

/* Places for planes beside the very first, and how many of them stay. */
enum { WINDOW = 12, KEPT = 4 };

/* So many planes of bands learn from all lines: their numbers are the largest. */
enum { ALWAYS = 8 };

static int64_t slots_of(const Layout *layout) { return least(layout->count, layout->first + WINDOW); }

static int64_t area_of(const Layout *layout) {
  return (layout->lines + 2 * BORDER) * (layout->columns + 2 * BORDER);
}

static int64_t most_inputs(const Layout *layout) {
  return 2 + OWN_PLACES + 2 * least(layout->first + layout->last, layout->count - 1);
}

static Planes *divide(Room *room, const Layout *layout) {
  const int64_t inputs = most_inputs(layout), area = area_of(layout);
  const int64_t strips = strips_of(layout->columns, STRIP);
  Planes *planes = cleared_part(room, (int64_t)sizeof(Planes));
  int32_t *sums = part_of(room, 4 * strips * sums_of(inputs)), *weights = part_of(room, 4 * strips * inputs);
  int32_t *numbers = cleared_part(room, 4 * slots_of(layout) * area);
  /* The last strip is looked at as if it were whole. */
  int32_t *errors = cleared_part(room, 4 * (area + STRIP)), *activity = cleared_part(room, 4 * (area + STRIP));
  uint8_t *mask = layout->mask ? NULL : cleared_part(room, layout->lines * layout->columns);
  if (!planes) return NULL;
  planes->layout = *layout;
  planes->slots = slots_of(layout);
  planes->known = (KnownPlanes){numbers, errors, activity, area, layout->columns + 2 * BORDER};
  planes->fit = (Equations){.places = planes->places, .strips = strips, .sums = sums, .weights = weights};
  if (mask) {
    planes->layout.mask = memset(mask, 1, (size_t)layout->numbers);
    planes->layout.mask_apart = layout->columns;
  }
  return planes;
}

int64_t planes_size(const Layout *layout) {
  Room room = {NULL, 0};
  divide(&room, layout);
  return size_of_room(&room);
}

Planes *planes_in(void *memory, const Layout *layout, const CurveTables *curves) {
  Room room = room_in(memory);
  Planes *planes = divide(&room, layout);
  planes->learned = (Acquired){planes->distributions, planes->weights, planes->models, planes->widths,
                               planes->biases,        curves->first,   planes->keeps,  curves->rates};
  make_keeps(planes->keeps, curves->rates);
  for (int i = 0; i < WEIGHTS_OF_PLANES; i++) planes->weights[i] = (ONE - i % MIXED / (MIXED - 1)) / MIXED;
  for (int i = 0; i < MODELS_OF_PLANES; i++) planes->models[i] = 1u << 31;
  for (int i = 0; i < 4 * SIZES; i += 4) {
    planes->widths[i] = FIRST_WIDTH;
    planes->widths[i + 2] = (int32_t)fine(FIRST_WIDTH >> 6);
  }
  return planes;
}

Planes *begin_planes(const pcai *file, const Layout *layout, const CurveTables *curves, Bytes stream) {
  void *memory = take(file, planes_size(layout));
  if (!memory) return NULL;
  Planes *planes = planes_in(memory, layout, curves);
  planes->coder = range_reader(stream.data, stream.size);
  return planes;
}

/* Makes a place for the next plane. */
static void make_place(Planes *planes) {
  const KnownPlanes *known = &planes->known;
  if (planes->slot < planes->slots) return;
  int64_t to = planes->layout.first * known->area, from = (planes->slots - KEPT) * known->area;
  size_t size = (size_t)(KEPT * known->area) * sizeof(int32_t);
  memmove(known->planes + to, known->planes + from, size);
  planes->slot = planes->layout.first + KEPT;
}

/* Sets up the equations of the next plane: they start afresh. */
static void begin_equations(Planes *planes) {
  Equations *fit = &planes->fit;
  int64_t slot = planes->slot, others = 0, area = planes->known.area;
  for (int64_t i = 0; i < slot; i++) {
    if (i < planes->layout.first || i >= slot - planes->layout.last) {
      planes->places[others++] = (i - slot) * area;
    }
  }
  fit->others = others;
  fit->inputs = 2 + OWN_PLACES + 2 * others;
  memset(fit->sums, 0, (size_t)(4 * fit->strips * sums_of(fit->inputs)));
  memset(fit->weights, 0, (size_t)(4 * fit->strips * fit->inputs));
}

void begin_plane(Planes *planes) {
  make_place(planes);
  begin_equations(planes);
}

static const int32_t *end_plane(Planes *planes, int64_t slot) {
  const KnownPlanes *known = &planes->known;
  int32_t *activity = known->activity;
  const int32_t *errors = known->errors;
  for (int64_t i = 0; i < known->area; i++) {
    int32_t error = errors[i] < MOST_ACTIVE ? errors[i] : MOST_ACTIVE;
    activity[i] += error - ((activity[i] * 5) >> 5);
  }
  return known->planes + slot * known->area + BORDER * known->stride + BORDER;
}

ALWAYS_INLINE void read_strips(Planes *planes, RangeCoder *coder, int seldom) {
  code_strips(planes->slot, NULL, &planes->layout, planes->known, planes->fit, planes->learned, seldom, 0, coder, NULL);
}

ALWAYS_INLINE void write_strips(Planes *planes, const double *wanted, double price, RangeCoder *coder, int seldom,
                                Choose *choose) {
  code_strips(planes->slot, wanted, &planes->layout, planes->known, planes->fit, planes->learned, seldom, price, coder,
              choose);
}

EITHER_WIDTH(static, read_plane, read_strips, (Planes *planes, RangeCoder *coder, int seldom), (planes, coder, seldom))
EITHER_WIDTH(static, write_plane, write_strips,
             (Planes *planes, const double *wanted, double price, RangeCoder *coder, int seldom, Choose *choose),
             (planes, wanted, price, coder, seldom, choose))

const int32_t *code_plane(Planes *planes, const double *wanted, double price, RangeCoder *coder, int is_plain,
                          Choose *choose) {
  const int of_bands = is_of_bands(&planes->layout), seldom = of_bands && planes->number++ >= ALWAYS;
  if (of_bands && range_code(coder, ONE / 2, is_plain, !choose)) planes->fit.others = planes->fit.inputs = 0;
  if (choose) {
    write_plane(planes, wanted, price, coder, seldom, choose);
  } else {
    read_plane(planes, coder, seldom);
  }
  return end_plane(planes, planes->slot++);
}

const int32_t *next_plane(Planes *planes) {
  if (!planes->started) range_start_reading(&planes->coder);
  planes->started = 1;
  begin_plane(planes);
  return code_plane(planes, NULL, 0, &planes->coder, 0, NULL);
}
