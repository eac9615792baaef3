/* Shrinkage, for processors of one kind: shrink.c includes this for each. TARGET is for whom functions are
 * compiled, NAME(x) is a name for it, and LANES are the numbers in a vector. */

TARGET ALWAYS_INLINE NAME(Words) NAME(load)(const uint16_t *place) {
  NAME(Words) words;
  memcpy(&words, place, sizeof words);
  return words;
}

TARGET ALWAYS_INLINE void NAME(put)(uint16_t *place, NAME(Words) words) {
  memcpy(place, &words, sizeof words);
}

/* Takes a line of a channel from three columns before a part to three behind, in the shrinkage's unit. Outside of the
 * image stands what is nearest. */
TARGET static void NAME(take)(const Picture *s, double unit, const Samples *samples, int64_t channel, int64_t y,
                              const Part *part, int64_t apart, uint16_t *found) {
  int64_t first = most(part->left - 3, 0), last = least(part->right + 3, s->width);
  int64_t before = first - (part->left - 3), count = last - first, x = 0;
  const double *line = sample_at(samples, channel, within(y, most(samples->top, 0), samples->end - 1), first);
  uint16_t *here = found + before;
  for (x = 0; x < count; x++) here[x] = whole_word(line[x] / unit);
  for (x = 0; x < before; x++) found[x] = here[0];
  for (x = before + count; x < apart; x++) found[x] = here[count - 1];
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

/* Transforms a row of blocks down, for one of the vectors along, weighs all coefficients but the constant
 * one, and adds them up again, down: to four lines. Of the last of these this row is the first to tell. */
TARGET ALWAYS_INLINE void NAME(between)(const uint16_t *const lines[4], uint16_t *const sums[4],
                                        const Gains bands[9], const uint16_t *factors, int v, int64_t count,
                                        int64_t apart) {
  const uint8_t *band = BAND_OF[v], *factor = FACTOR_OF[v];
  for (int64_t start = v * apart; start < v * apart + count; start += 2 * LANES) {
    NAME(Words) values[4][2];
    for (int i = 0; i < 2; i++) {
      int64_t x = start + i * LANES;
      NAME(Words) a = NAME(load)(lines[0] + x), b = NAME(load)(lines[1] + x);
      NAME(Words) c = NAME(load)(lines[2] + x), d = NAME(load)(lines[3] + x);
      NAME(Words) outer = a + d, inner = b + c, far = a - d, near = b - c;
      values[0][i] = outer + inner;
      values[1][i] = far + far + near;
      values[2][i] = outer - inner;
      values[3][i] = far - near - near;
    }
    for (int u = v == 0; u < 4; u++) NAME(weigh)(values[u], factors[factor[u]], bands + band[u]);
    for (int i = 0; i < 2; i++) {
      int64_t x = start + i * LANES;
      NAME(Words) a = v == 0 ? values[0][i] ^ values[0][i] : values[0][i], c = values[2][i];
      NAME(Words) outer = a + c, inner = a - c, far = values[1][i] + values[1][i] + values[3][i];
      NAME(Words) near = values[1][i] - values[3][i] - values[3][i];
      NAME(put)(sums[0] + x, NAME(load)(sums[0] + x) + outer + far);
      NAME(put)(sums[1] + x, NAME(load)(sums[1] + x) + inner + near);
      NAME(put)(sums[2] + x, NAME(load)(sums[2] + x) + inner - near);
      NAME(put)(sums[3] + x, outer - far);
    }
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

/* Corrects a part of channel `p`, by what is known of it at a level. */
TARGET static void NAME(shrink)(const Picture *s, int64_t channel, const Samples *samples, int64_t p, Part part,
                                const Samples *found, uint16_t *space) {
  int64_t width = part.right - part.left, apart = pitch_for(width), blocks = width + 3;
  const uint16_t *factors = s->factors + 3 * channel;
  double scale = s->scales[channel];
  uint16_t *sums = space + 16 * apart, *total = sums + 16 * apart, *taken[2] = {total + apart, total + 2 * apart};
  Gains bands[9];
  for (int band = 0; band < 9; band++) {
    bands[band].gains = s->gains + (9 * channel + band) * SHRINK_SIZES;
    for (int i = 0; i < SHRINK_SIZES; i++) {
      bands[band].lower[i] = (uint8_t)bands[band].gains[i];
      bands[band].upper[i] = (uint8_t)((uint16_t)bands[band].gains[i] >> 8);
    }
  }
  memset(space, 0, (size_t)(35 * apart) * sizeof *space);
  NAME(take)(s, s->units[channel], samples, p, part.from - 3, &part, apart, taken[1]);
  for (int64_t row = -3; row < part.to - part.from + 3; row++) {
    /* A line is read some time after it was written: in other vectors, for which the processor would wait. */
    NAME(take)(s, s->units[channel], samples, p, part.from + row + 1, &part, apart, taken[(row + 1) & 1]);
    NAME(ahead)(taken[row & 1], blocks, space + 4 * ((row + 3) & 3) * apart, apart);
    if (row < 0) continue;
    const uint16_t *down[4];
    uint16_t *into[4];
    for (int i = 0; i < 4; i++) {
      down[i] = space + 4 * ((row + i) & 3) * apart;
      into[i] = sums + 4 * ((row + i) & 3) * apart;
    }
    NAME(between)(down, into, bands, factors, 0, blocks, apart);
    NAME(between)(down, into, bands, factors, 1, blocks, apart);
    NAME(between)(down, into, bands, factors, 2, blocks, apart);
    NAME(between)(down, into, bands, factors, 3, blocks, apart);
    if (row < 3) continue;
    /* The four rows of blocks that a line lies in are known. */
    NAME(back)(into[0], width, apart, total);
    const double *line = sample_at(samples, p, part.from + row - 3, part.left);
    double *corrected = sample_at(found, p, part.from + row - 3, part.left);
    for (int64_t x = 0; x < width; x++) {
      corrected[x] = line[x] + whole((double)(int16_t)total[x] * scale + s->shrink_half_place);
    }
  }
}

#undef NAME
#undef TARGET
#undef LANES
