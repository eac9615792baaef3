/* Sums of products of a few lines of numbers: what transforms of blocks, and pictures of them, consist of. */
#ifndef PCAI_PRODUCTS_H
#define PCAI_PRODUCTS_H

#include "core.h"

/* Finds 1, 2, 4 or 8 sums of so many lines, each line times a weight of the sum: `weights` are (lines, sums), and
 * sums are put `apart` numbers from each other. Products are added in the order of the lines, and not fused: the
 * numbers are the same in vectors of every width. */
void sum_floats(const float *const *lines, int count, const float *weights, int sums, int64_t numbers, float *to,
                int64_t apart);
void sum_doubles(const double *const *lines, int count, const double *weights, int sums, int64_t numbers,
                 double *to, int64_t apart);

#endif
