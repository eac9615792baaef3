/* Reading planes of whole numbers one after the other (format.md, sections 5.1 to 5.6): scores, vectors,
 * corrections. */
#ifndef PCAI_PLANES_H
#define PCAI_PLANES_H

#include "bands_around.h"
#include "curves.h"
#include "file.h"

/* What is read: lines and columns; where there are numbers, or NULL if in the first so many places; by how
 * many of the very first planes, and of those directly before, a plane is predicted; how many planes there
 * are. */
typedef struct {
  int64_t lines, columns;
  const uint8_t *mask;
  int64_t numbers, first, last, count;
} Layout;

typedef struct {
  Layout layout;
  RangeCoder coder;
  KnownPlanes known;
  Equations fit;
  Acquired learned;
  int64_t slot, slots, places[16];
  int started;
} Planes;

/* Bytes that planes take while they are read. */
int64_t planes_size(const Layout *layout);

/* Begins to read planes; NULL if there is no memory. The stream, whose end may move until the first plane is
 * read and in between, must stay. They are given back as a whole. */
Planes *begin_planes(const pcai *file, const Layout *layout, const CurveTables *curves, Bytes stream);

/* Reads the next plane; returns where its first number is, `known.stride` numbers before that of the next
 * line. */
const int32_t *next_plane(Planes *planes);

#endif
