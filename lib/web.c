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

/* What stands before a piece of memory, taken or free. Pieces lie behind each other up to the top, and the first
 * that fits is taken: a file takes few. */
typedef struct Block {
  size_t size;
  size_t is_free;
} Block;

static struct {
  Block *first_free;
  uintptr_t top;
  pcai_plain plain;
  int32_t asked;
} page;

static Block *after(Block *block) { return (Block *)((uintptr_t)block + block->size); }

static uintptr_t bottom(void) { return ((uintptr_t)&__heap_base + LINE - 1) & ~(uintptr_t)(LINE - 1); }

/* A free piece that has room for so many bytes, joined with those behind it; NULL if there is none. */
static Block *find_free(size_t size) {
  for (Block *block = page.first_free; block && (uintptr_t)block < page.top; block = after(block)) {
    if (!block->is_free) continue;
    while ((uintptr_t)after(block) < page.top && after(block)->is_free) block->size += after(block)->size;
    if ((uintptr_t)after(block) == page.top) {
      page.top = (uintptr_t)block;
      if (page.first_free == block) page.first_free = NULL;
      return NULL;
    }
    if (block->size < size) continue;
    if (block->size - size >= 2 * LINE) {
      Block *rest = (Block *)((uintptr_t)block + size);
      *rest = (Block){block->size - size, 1};
      block->size = size;
    }
    return block;
  }
  return NULL;
}

/* Memory that begins at a line of the cache; NULL if the browser has no more. */
API void *web_take(size_t size) {
  if (size > UINTPTR_MAX / 2) return NULL;
  size = (size + 2 * LINE - 1) & ~(size_t)(LINE - 1); /* what stands before it takes a line */
  if (!page.top) page.top = bottom();
  Block *block = find_free(size);
  if (!block) {
    size_t have = __builtin_wasm_memory_size(0), needed = (page.top + size + PAGE - 1) / PAGE;
    if (needed > have && __builtin_wasm_memory_grow(0, needed - have) == SIZE_MAX) return NULL;
    block = (Block *)page.top;
    block->size = size;
    page.top += size;
  }
  block->is_free = 0;
  if (block == page.first_free) page.first_free = after(block);
  return (uint8_t *)block + LINE;
}

API void web_give_back(void *memory) {
  if (!memory) return;
  Block *block = (Block *)((uintptr_t)memory - LINE);
  block->is_free = 1;
  if (!page.first_free || block < page.first_free) page.first_free = block;
}

/* Says where the tables of a grade are, or with grade -1 those that all share. */
API void web_tables(int32_t grade, const uint8_t *data, size_t size) {
  page.plain.tables[grade + 1] = data;
  page.plain.sizes[grade + 1] = size;
}

/* The tables that a file needs; those of a grade that is not there are noted. */
static const uint8_t *tables_of(void *own, int version, int grade, size_t *size) {
  (void)own;
  if (version != PCAI_TABLES_VERSION || grade < -1 || grade > 2) return NULL;
  if (grade >= 0) page.asked = grade;
  *size = page.plain.sizes[grade + 1];
  return page.plain.tables[grade + 1];
}

/* The grade whose tables were asked for last. */
API int32_t web_asked(void) { return page.asked; }

/* Opens a file that may take so many bytes, and claim what its length does not make plausible; says what fault it
 * has, if any. */
API pcai *web_open(const uint8_t *data, size_t size, double most_memory, double most_unbacked, int32_t salvage,
                   int32_t *fault) {
  pcai *file = NULL;
  pcai_host host;
  page.plain.allocate = web_take;
  page.plain.release = web_give_back;
  page.plain.inflate = pcai_inflate;
  pcai_plain_host(&host, &page.plain);
  host.tables = tables_of;
  host.most_memory = (uint64_t)most_memory;
  host.most_unbacked = (uint64_t)most_unbacked;
  *fault = salvage ? pcai_salvage(&file, data, size, &host) : pcai_open(&file, data, size, &host);
  return file;
}
