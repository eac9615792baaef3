/* The library's version and sources, so that a library of other sources is noticed. */
#include "core.h"

/* A digest of all sources, given by scripts/compile_core.py. */
#ifndef PCAI_SOURCES
#define PCAI_SOURCES "unknown"
#endif

API int64_t pcai_abi(void) { return PCAI_ABI; }

API const char *pcai_sources(void) { return PCAI_SOURCES; }

#ifdef PCAI_ALONE
/* The entry point that Windows calls, usually from the C library, without which this library is linked. */
int __stdcall DllMainCRTStartup(void *library, unsigned long reason, void *reserved);
int __stdcall DllMainCRTStartup(void *library, unsigned long reason, void *reserved) {
  (void)library;
  (void)reason;
  (void)reserved;
  return 1;
}
#endif
