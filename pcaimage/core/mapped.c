/* Files that are mapped into memory, and cut short by another program meanwhile.
 *
 * Whoever reads a page of a mapping that is beyond the file's end gets the signal SIGBUS, which ends the
 * process. The handler here puts zeros in place of what is gone, notes that, and has the read repeated; what
 * was computed from the zeros is thrown away, once Python has asked. Wayland compositors treat the memory of
 * their clients alike (libwayland, wayland-shm.c). A handler may call none but a few functions: here mmap and
 * sigaction, which are single calls of the system.
 *
 * Windows refuses to cut mapped files, so there is nothing to do. This file is no part of what decodes.
 */
#if !defined(_WIN32) && !defined(__wasm__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS of glibc and musl */
#define _DARWIN_C_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "core.h"

#if defined(_WIN32) || defined(__wasm__)

API int64_t pcai_watch(int64_t address, int64_t size) {
  (void)address, (void)size;
  return -1;
}

API void pcai_unwatch(int64_t place) { (void)place; }

API int64_t pcai_was_cut(int64_t place) {
  (void)place;
  return 0;
}

#else

enum { MAPPINGS = 1024 };

typedef struct {
  atomic_int taken, cut;
  atomic_uintptr_t start, end; /* the end is 0 while the range is not valid */
} Range;

static Range ranges[MAPPINGS];
static uintptr_t page_size;
static struct sigaction before;

static void put_zeros(int number, siginfo_t *information, void *context) {
  (void)context;
  int error = errno;
  uintptr_t address = (uintptr_t)information->si_addr;
  /* A signal that a process sent (si_code <= 0) is no read of memory. */
  for (int place = 0; place < MAPPINGS && information->si_code > 0; place++) {
    uintptr_t end = atomic_load(&ranges[place].end), start = atomic_load(&ranges[place].start);
    if (address < start || address >= end) continue;
    atomic_store(&ranges[place].cut, 1);
    /* To the end of the mapping: a file is cut at its end. */
    uintptr_t page = address - address % page_size;
    void *zeros = mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros != MAP_FAILED) {
      errno = error;
      return;
    }
  }
  /* None of ours: it is met again by whoever handled it before. */
  sigaction(number, &before, NULL);
  if (information->si_code <= 0) raise(number);
  errno = error;
}

static void take_over(void) {
  struct sigaction now, ours = {0};
  sigaction(SIGBUS, NULL, &now);
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == put_zeros) return;
  before = now;
  ours.sa_sigaction = put_zeros;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, NULL);
}

/* Watches so many bytes of memory, which a file is mapped to, from a page's first on. Returns the place by
 * which they are known, or -1 where too many are watched. */
API int64_t pcai_watch(int64_t address, int64_t size) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int place = 0; place < MAPPINGS; place++) {
    int free = 0;
    if (!atomic_compare_exchange_strong(&ranges[place].taken, &free, 1)) continue;
    take_over();
    uintptr_t start = (uintptr_t)address, past = (uintptr_t)size + page_size - 1;
    atomic_store(&ranges[place].cut, 0);
    atomic_store(&ranges[place].start, start);
    atomic_store(&ranges[place].end, start + past - past % page_size);
    return place;
  }
  return -1;
}

/* Ends that; the mapping may be gone by now. */
API void pcai_unwatch(int64_t place) {
  atomic_store(&ranges[place].end, 0);
  atomic_store(&ranges[place].taken, 0);
}

/* Returns whether zeros were read in place of the file. */
API int64_t pcai_was_cut(int64_t place) { return atomic_load(&ranges[place].cut); }

#endif
