/* Photos in files: their method is not here yet. */
#include "file.h"

static int prepare(pcai *file) {
  return fault_of(file, PCAI_TABLES, "This library does not decode photos.", -1);
}

static void close(pcai *file) { (void)file; }

const Method PHOTO_METHOD = {.prepare = prepare, .close = close};
