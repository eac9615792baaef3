/* The library in a web page, compiled to wasm32: its memory, and tables that the page hands in.
 *
 * The page asks `web_take` for room for a file and for tables, opens the file by `web_open`, and calls
 * the functions of pcai.h; numbers of 64 bits are BigInt there.
 */
#include "core.h"
#include "pcai.h"

/* What the compiler may call. */
#undef memset
#undef memcpy
#undef memmove
void *memset(void *to, int byte, size_t size) {
  __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.fill 0" : : "r"(to), "r"(byte), "r"(size) : "memory");
  return to;
}

void *memcpy(void *to, const void *from, size_t size) {
  __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0" : : "r"(to), "r"(from), "r"(size) : "memory");
  return to;
}

void *memmove(void *to, const void *from, size_t size) { return memcpy(to, from, size); }

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
  pcai_plain plain;
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

/* Says where the tables of a grade are, or with grade -1 those that all share. */
API void web_tables(int32_t grade, const uint8_t *data, size_t size) {
  page.plain.tables[grade + 1] = data;
  page.plain.sizes[grade + 1] = size;
}

/* Opens a file that may take so many bytes, whether or not its length makes them plausible; says what fault it
 * has, if any. */
API pcai *web_open(const uint8_t *data, size_t size, double most_memory, double most_unbacked, int32_t *fault) {
  pcai *file = NULL;
  pcai_host host;
  page.plain.allocate = web_take;
  page.plain.release = web_give_back;
  pcai_plain_host(&host, &page.plain);
  host.most_memory = (uint64_t)most_memory;
  host.most_unbacked = (uint64_t)most_unbacked;
  *fault = pcai_open(&file, data, size, &host);
  return file;
}
