/* Sums of products in vectors of one type and width: products.c includes this for each.
 *
 * REAL is the type, BYTES are those of a vector, TARGET is for whom functions are compiled, and NAME(x) is a name
 * for type and width.
 */

typedef REAL NAME(Vector) __attribute__((vector_size(BYTES)));

/* The sums of what lies `place` behind the beginning of lines, of some vectors side by side: each sum waits for the
 * addition before, so eight are found at once. */
TARGET ALWAYS_INLINE void NAME(sum_vectors)(const REAL *const *lines, int count, const REAL *weights, int sums,
                                            int vectors, int64_t place, REAL *to, int64_t apart) {
  const int64_t lanes = BYTES / sizeof(REAL);
  NAME(Vector) totals[8], numbers;
  WRITTEN_OUT for (int i = 0; i < sums * vectors; i++) totals[i] = (NAME(Vector)){0};
  for (int i = 0; i < count; i++, weights += sums) {
    WRITTEN_OUT for (int v = 0; v < vectors; v++) {
      memcpy(&numbers, lines[i] + place + v * lanes, sizeof numbers);
      WRITTEN_OUT for (int s = 0; s < sums; s++) totals[v * sums + s] += weights[s] * numbers;
    }
  }
  WRITTEN_OUT for (int i = 0; i < sums * vectors; i++) {
    memcpy(to + i % sums * apart + place + i / sums * lanes, totals + i, sizeof numbers);
  }
}

TARGET ALWAYS_INLINE void NAME(sum_lines)(const REAL *const *lines, int count, const REAL *weights, int sums,
                                          int64_t numbers, REAL *to, int64_t apart) {
  const int64_t lanes = BYTES / sizeof(REAL), many = 8 / sums * lanes;
  int64_t j = 0;
  for (; numbers < lanes && j < numbers; j++) {
    for (int s = 0; s < sums; s++) {
      REAL total = 0;
      for (int i = 0; i < count; i++) total += weights[i * sums + s] * lines[i][j];
      to[s * apart + j] = total;
    }
  }
  for (; j + many <= numbers; j += many) NAME(sum_vectors)(lines, count, weights, sums, 8 / sums, j, to, apart);
  /* The last vector begins earlier, so that nothing behind the numbers is read. */
  for (; j < numbers; j += lanes) {
    NAME(sum_vectors)(lines, count, weights, sums, 1, least(j, numbers - lanes), to, apart);
  }
}

TARGET static void NAME(sum)(const REAL *const *lines, int count, const REAL *weights, int sums, int64_t numbers,
                             REAL *to, int64_t apart) {
  if (sums == 8) NAME(sum_lines)(lines, count, weights, 8, numbers, to, apart);
  if (sums == 4) NAME(sum_lines)(lines, count, weights, 4, numbers, to, apart);
  if (sums == 2) NAME(sum_lines)(lines, count, weights, 2, numbers, to, apart);
  if (sums == 1) NAME(sum_lines)(lines, count, weights, 1, numbers, to, apart);
}

#undef NAME
#undef BYTES
#undef TARGET
