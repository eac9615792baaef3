/* Shrinkage, for processors of one kind: shrink.c includes this for each. TARGET is for whom functions are
 * compiled, and NAME(x) is a name for it. */

/* Filters a line with the four vectors, forwards: sums of the next four numbers. */
TARGET static void NAME(ahead)(const int16_t *restrict line, int64_t count, int16_t *restrict found,
                               int64_t apart) {
  for (int64_t x = 0; x < count; x++) {
    int16_t outer = (int16_t)(line[x] + line[x + 3]), inner = (int16_t)(line[x + 1] + line[x + 2]);
    int16_t far = (int16_t)(line[x] - line[x + 3]), near = (int16_t)(line[x + 1] - line[x + 2]);
    found[x] = (int16_t)(outer + inner);
    found[apart + x] = (int16_t)(2 * far + near);
    found[2 * apart + x] = (int16_t)(outer - inner);
    found[3 * apart + x] = (int16_t)(far - 2 * near);
  }
}

/* The same down lines: one of the four. Written out, as sums are quicker than products. */
TARGET static void NAME(down)(const int16_t *const *lines, int64_t count, int kind, int16_t *restrict found) {
  const int16_t *restrict p = lines[0], *restrict q = lines[1], *restrict r = lines[2], *restrict t = lines[3];
  if (kind == 0) {
    for (int64_t x = 0; x < count; x++) found[x] = (int16_t)((p[x] + t[x]) + (q[x] + r[x]));
  } else if (kind == 1) {
    for (int64_t x = 0; x < count; x++) found[x] = (int16_t)(2 * (p[x] - t[x]) + (q[x] - r[x]));
  } else if (kind == 2) {
    for (int64_t x = 0; x < count; x++) found[x] = (int16_t)((p[x] + t[x]) - (q[x] + r[x]));
  } else {
    for (int64_t x = 0; x < count; x++) found[x] = (int16_t)((p[x] - t[x]) - 2 * (q[x] - r[x]));
  }
}

/* What a coefficient of a band is too large by, in the gains' unit times its own. */
TARGET static void NAME(weigh)(const int16_t *restrict coefficients, int64_t count, const int32_t *edges,
                               const int32_t *gains, int32_t *restrict found) {
  int16_t below[SIZES - 1], changes[SIZES - 1], first = (int16_t)gains[0];
  for (int b = 0; b < SIZES - 1; b++) below[b] = (int16_t)(edges[b] - 1);
  for (int b = 0; b < SIZES - 1; b++) changes[b] = (int16_t)(gains[b + 1] - gains[b]);
  for (int64_t x = 0; x < count; x++) {
    int16_t value = coefficients[x], size = (int16_t)(value < 0 ? -value : value), gain = first;
#define CLASS(b) gain = (int16_t)(gain + (size > below[b] ? changes[b] : 0))
    CLASS(0);
    CLASS(1);
    CLASS(2);
    CLASS(3);
    CLASS(4);
    CLASS(5);
    CLASS(6);
    CLASS(7);
    CLASS(8);
#undef CLASS
    found[x] = value * gain;
  }
}

/* Adds a band's share to a line, backwards: each number's from the block that it begins and three before. */
TARGET static void NAME(back)(const int32_t *restrict signed_band, int64_t count, int kind,
                              int32_t *restrict signed_sums) {
  /* Without signs sums wrap around. */
  const uint32_t *restrict band = (const uint32_t *)(const void *)signed_band;
  uint32_t *restrict sums = (uint32_t *)(void *)signed_sums;
  if (kind == 0) {
    for (int64_t x = 0; x < count; x++) sums[x] += (band[x + 3] + band[x]) + (band[x + 2] + band[x + 1]);
  } else if (kind == 1) {
    for (int64_t x = 0; x < count; x++) sums[x] += 2 * (band[x + 3] - band[x]) + (band[x + 2] - band[x + 1]);
  } else if (kind == 2) {
    for (int64_t x = 0; x < count; x++) sums[x] += (band[x + 3] + band[x]) - (band[x + 2] + band[x + 1]);
  } else {
    for (int64_t x = 0; x < count; x++) sums[x] += (band[x + 3] - band[x]) - 2 * (band[x + 2] - band[x + 1]);
  }
}

/* Corrects a part of a channel. `room` has their numbers and three more on all sides, in eighths of the
 * step; `space` is for what comes between. */
TARGET static void NAME(shrink)(const Shrinkage *s, const int32_t *gains, double scale, double *plane,
                                Part part, const int16_t *room, int32_t *space) {
  int64_t width = part.right - part.left, lines = part.to - part.from, apart = width + 6, blocks = width + 3;
  int32_t *weighed_band = space, *sums = weighed_band + apart;
  int16_t *filtered = (int16_t *)(void *)(sums + 16 * apart), *band = filtered + 16 * apart;
  for (int64_t row = 0; row < 3; row++) {
    NAME(ahead)(room + row * apart, blocks, filtered + 4 * row * apart, apart);
  }
  for (int64_t row = 0; row < lines + 3; row++) {
    NAME(ahead)(room + (row + 3) * apart, blocks, filtered + 4 * ((row + 3) & 3) * apart, apart);
    int32_t *own = sums + (row & 3) * 4 * apart;
    memset(own, 0, (size_t)(4 * apart) * sizeof *own);
    for (int kind = 1; kind < 16; kind++) {
      int u = kind >> 2, v = kind & 3;
      const int16_t *down[4];
      for (int i = 0; i < 4; i++) down[i] = filtered + (4 * ((row + i) & 3) + v) * apart;
      NAME(down)(down, blocks, u, band);
      NAME(weigh)(band, blocks, s->edges + EDGES_OF[u][v] * (SIZES - 1), gains + BAND_OF[u][v] * SIZES,
                  weighed_band);
      NAME(back)(weighed_band, width, v, own + u * apart);
    }
    if (row < 3) continue;
    /* The four rows of blocks that a line lies in are known. */
    double *line = plane + (part.from + row - 3) * s->width + part.left;
    for (int64_t x = 0; x < width; x++) {
      uint32_t total = 0;
      for (int k = 0; k < 4; k++) {
        const int32_t *block = sums + ((row - k) & 3) * 4 * apart + x;
        for (int u = 0; u < 4; u++) total += (uint32_t)VECTORS[u][k] * (uint32_t)block[u * apart];
      }
      line[x] += whole((double)(int32_t)total * scale + s->half_place);
    }
  }
}
