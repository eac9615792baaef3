/* The library in a web page, compiled to wasm32: its memory, and tables that the page hands in.
 *
 * The page asks `web_take` for room for a file and for inflated tables, opens the file by `web_open`, and calls
 * the functions of pcai.h; numbers of 64 bits are BigInt there.
 */
#include "core.h"
#include "inflate.h"
#include "pcai.h"

#define PAGE 65536
#define LINE 64

extern uint8_t __heap_base;

/* What stands before memory that was taken. */
typedef struct Block {
  struct Block *below;
  size_t is_free;
} Block;

static struct {
  Block *last;
  uintptr_t top;
  struct {
    const uint8_t *data;
    size_t size;
  } tables[4]; /* of the grades -1 to 2 */
} page;

/* Memory at the top, which grows; NULL if the browser has no more. */
API void *web_take(size_t size) {
  uintptr_t top = page.top ? page.top : (uintptr_t)&__heap_base;
  uintptr_t start = (top + sizeof(Block) + LINE - 1) & ~(uintptr_t)(LINE - 1);
  if (size > UINTPTR_MAX - PAGE - start) return NULL;
  size_t have = __builtin_wasm_memory_size(0), needed = (start + size + PAGE - 1) / PAGE;
  if (needed > have && __builtin_wasm_memory_grow(0, needed - have) == SIZE_MAX) return NULL;
  Block *block = (Block *)start - 1;
  *block = (Block){page.last, 0};
  page.last = block;
  page.top = start + size;
  return (void *)start;
}

/* Memory is free again when what was taken later is. */
API void web_give_back(void *memory) {
  if (!memory) return;
  ((Block *)memory - 1)->is_free = 1;
  for (; page.last && page.last->is_free; page.last = page.last->below) page.top = (uintptr_t)page.last;
}

/* Says where the inflated tables of a grade are, or with grade -1 those that all share. */
API void web_tables(int32_t grade, const uint8_t *data, size_t size) {
  page.tables[grade + 1].data = data;
  page.tables[grade + 1].size = size;
}

static void *take_for(void *own, size_t size) {
  (void)own;
  return web_take(size);
}

static void give_back_for(void *own, void *memory) {
  (void)own;
  web_give_back(memory);
}

static int inflate_for(void *own, const uint8_t *data, size_t size, uint8_t *to, size_t room) {
  (void)own;
  return inflate(data, size, to, room);
}

static const uint8_t *tables_for(void *own, int version, int grade, size_t *size) {
  (void)own;
  *size = page.tables[grade + 1].size;
  return version == 1 ? page.tables[grade + 1].data : NULL;
}

/* Opens a file that may take so many bytes; returns it, and whether it is without faults. */
API pcai *web_open(const uint8_t *data, size_t size, double most, double unbacked, int32_t *fault) {
  const pcai_host host = {.take = take_for,
                          .give_back = give_back_for,
                          .inflate = inflate_for,
                          .tables = tables_for,
                          .most_memory = (uint64_t)most,
                          .most_unbacked = (uint64_t)unbacked};
  pcai *file = NULL;
  *fault = pcai_open(&file, data, size, &host);
  return file;
}
