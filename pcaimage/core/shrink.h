/* Shrinkage, for processors of one kind: shrink.c includes this for each. TARGET is for whom functions are
 * compiled, NAME(x) is a name for it, and LANES are the numbers in a vector. */

TARGET ALWAYS_INLINE NAME(Words) NAME(load)(const uint16_t *place) {
  NAME(Words) words;
  memcpy(&words, place, sizeof words);
  return words;
}

TARGET ALWAYS_INLINE void NAME(put)(uint16_t *place, NAME(Words) words) { memcpy(place, &words, sizeof words); }

/* Fills the room: lines from `from` - 3 to `to` + 3 of a plane, of which those from 0 to `lines` exist. Outside
 * stands what is nearest. */
TARGET static void NAME(fill)(const Shrinkage *s, const double *plane, int64_t lines, int64_t from, int64_t to,
                              uint16_t *room) {
  int64_t width = s->width;
  for (int64_t y = from - 3; y < to + 3; y++, room += s->pitch) {
    const double *line = plane + within(y, 0, lines - 1) * width;
    for (int64_t x = 0; x < width; x++) room[x + 3] = (uint16_t)whole_word(line[x] / s->unit);
    for (int x = 0; x < 3; x++) room[x] = room[3];
    for (int64_t x = width + 3; x < s->pitch; x++) room[x] = room[width + 2];
  }
}

/* Filters a line with the four vectors: sums of the next four numbers. */
TARGET static void NAME(ahead)(const uint16_t *line, int64_t count, uint16_t *found, int64_t apart) {
  for (int64_t x = 0; x < count; x += LANES) {
    NAME(Words) a = NAME(load)(line + x), b = NAME(load)(line + x + 1);
    NAME(Words) c = NAME(load)(line + x + 2), d = NAME(load)(line + x + 3);
    NAME(Words) outer = a + d, inner = b + c, far = a - d, near = b - c;
    NAME(put)(found + x, outer + inner);
    NAME(put)(found + apart + x, far + far + near);
    NAME(put)(found + 2 * apart + x, outer - inner);
    NAME(put)(found + 3 * apart + x, far - near - near);
  }
}

/* Transforms a row of blocks down, for one of the vectors along, weighs all coefficients but the constant one, and
 * adds them up again, down: to four lines. Of the last of these this row is the first to tell. */
TARGET ALWAYS_INLINE void NAME(between)(const uint16_t *const lines[4], uint16_t *const sums[4],
                                        const Gains bands[9], const uint16_t *factors, int v, int64_t count,
                                        int64_t apart) {
  const uint8_t *band = BAND_OF[v], *factor = FACTOR_OF[v];
  for (int64_t x = v * apart; x < v * apart + count; x += LANES) {
    NAME(Words) a = NAME(load)(lines[0] + x), b = NAME(load)(lines[1] + x);
    NAME(Words) c = NAME(load)(lines[2] + x), d = NAME(load)(lines[3] + x);
    NAME(Words) outer = a + d, inner = b + c, far = a - d, near = b - c;
    a = v == 0 ? a ^ a : NAME(weighed)(outer + inner, factors[factor[0]], bands + band[0]);
    b = NAME(weighed)(far + far + near, factors[factor[1]], bands + band[1]);
    c = NAME(weighed)(outer - inner, factors[factor[2]], bands + band[2]);
    d = NAME(weighed)(far - near - near, factors[factor[3]], bands + band[3]);
    outer = a + c;
    inner = a - c;
    far = b + b + d;
    near = b - d - d;
    NAME(put)(sums[0] + x, NAME(load)(sums[0] + x) + outer + far);
    NAME(put)(sums[1] + x, NAME(load)(sums[1] + x) + inner + near);
    NAME(put)(sums[2] + x, NAME(load)(sums[2] + x) + inner - near);
    NAME(put)(sums[3] + x, outer - far);
  }
}

/* Adds a line's sums up along: a pixel's are those of the block that it ends and of three behind. */
TARGET static void NAME(back)(const uint16_t *sums, int64_t count, int64_t apart, uint16_t *found) {
  for (int64_t x = 0; x < count; x += LANES) {
    const uint16_t *even = sums + x, *odd = even + apart;
    NAME(Words) total = NAME(load)(even) + NAME(load)(even + 1) + NAME(load)(even + 2) + NAME(load)(even + 3);
    NAME(Words) far = NAME(load)(odd + 3) - NAME(load)(odd), near = NAME(load)(odd + 2) - NAME(load)(odd + 1);
    total += far + far + near;
    even += 2 * apart;
    odd += 2 * apart;
    total += NAME(load)(even) - NAME(load)(even + 1) - NAME(load)(even + 2) + NAME(load)(even + 3);
    far = NAME(load)(odd + 3) - NAME(load)(odd);
    near = NAME(load)(odd + 2) - NAME(load)(odd + 1);
    NAME(put)(found + x, total + far - near - near);
  }
}

/* Corrects so many lines of a channel. */
TARGET static void NAME(shrink)(const Shrinkage *s, int64_t channel, double *plane, int64_t lines, int64_t from,
                                int64_t to, uint16_t *room, uint16_t *space) {
  int64_t width = s->width, apart = s->pitch, blocks = width + 3;
  uint16_t *sums = space + 16 * apart, *total = sums + 16 * apart;
  Gains bands[9];
  for (int band = 0; band < 9; band++) {
    bands[band].gains = s->gains + (9 * channel + band) * SIZES;
    for (int i = 0; i < SIZES; i++) {
      bands[band].lower[i] = (uint8_t)bands[band].gains[i];
      bands[band].upper[i] = (uint8_t)((uint16_t)bands[band].gains[i] >> 8);
    }
  }
  NAME(fill)(s, plane, lines, from, to, room);
  memset(space, 0, (size_t)(33 * apart) * sizeof *space);
  for (int64_t row = 0; row < 3; row++) {
    NAME(ahead)(room + row * apart, blocks, space + 4 * row * apart, apart);
  }
  for (int64_t row = 0; row < to - from + 3; row++) {
    NAME(ahead)(room + (row + 3) * apart, blocks, space + 4 * ((row + 3) & 3) * apart, apart);
    const uint16_t *down[4];
    uint16_t *into[4];
    for (int i = 0; i < 4; i++) {
      down[i] = space + 4 * ((row + i) & 3) * apart;
      into[i] = sums + 4 * ((row + i) & 3) * apart;
    }
    NAME(between)(down, into, bands, s->factors, 0, blocks, apart);
    NAME(between)(down, into, bands, s->factors, 1, blocks, apart);
    NAME(between)(down, into, bands, s->factors, 2, blocks, apart);
    NAME(between)(down, into, bands, s->factors, 3, blocks, apart);
    if (row < 3) continue;
    /* The four rows of blocks that a line lies in are known. */
    NAME(back)(into[0], width, apart, total);
    double *line = plane + (from + row - 3) * width;
    for (int64_t x = 0; x < width; x++) line[x] += whole((double)(int16_t)total[x] * s->scale + s->half_place);
  }
}
