/* Memory that is divided up into parts: each begins a cache line, and is followed by one more. */
#ifndef PCAI_ROOM_H
#define PCAI_ROOM_H

#include "core.h"

enum { LINE = 64 };

/* Without memory, parts are only counted. */
typedef struct {
  uint8_t *memory;
  int64_t used;
} Room;

/* What the parts of a counted room take, wherever their memory begins. */
ALWAYS_INLINE int64_t size_of_room(const Room *room) { return room->used + LINE; }

ALWAYS_INLINE Room room_in(void *memory) {
  return (Room){(uint8_t *)memory + (LINE - (uintptr_t)memory % LINE) % LINE, 0};
}

static inline void *part_of(Room *room, int64_t size) {
  int64_t place = room->used;
  room->used += (size + LINE - 1) / LINE * LINE + LINE;
  return room->memory ? room->memory + place : NULL;
}

/* With the line behind it, which vectors reach into. */
static inline void clear_part(void *part, int64_t size) { memset(part, 0, (size_t)(size + LINE)); }

static inline void *cleared_part(Room *room, int64_t size) {
  void *part = part_of(room, size);
  if (part) clear_part(part, size);
  return part;
}

#endif
