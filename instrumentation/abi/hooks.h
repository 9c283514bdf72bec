/* hooks.h - what instrumented code and the runtime agree on. C11 and C++20, no other header of ours.
 *
 * The pass writes a table of sites into each object file and calls a hook before each access that
 * other threads may see. A hook is a no-op on a thread that is not under control. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when the layout of the records, a hook's signature or the meaning of an event changes.
 * Objects and runtime of different versions refuse to run together. */
#define WEAVEFUZZ_ABI_VERSION 1

/* Names of the sections that hold the records. */
#define WEAVEFUZZ_SITES_SECTION "weavefuzz_sites"
#define WEAVEFUZZ_MODULES_SECTION "weavefuzz_modules"

enum weavefuzz_event_kind {
#define WEAVEFUZZ_EVENT(name, text, class, reads, writes) WEAVEFUZZ_##name,
#include "instrumentation/abi/events.def"
#undef WEAVEFUZZ_EVENT
  WEAVEFUZZ_EVENT_KINDS
};

enum weavefuzz_site_flags {
  WEAVEFUZZ_SITE_SYSTEM_HEADER = 1, /* file is a system header: the caller's line says more */
};

/* One instrumented place. Strings are NUL-terminated and given as the distance in bytes from the
 * start of the record, so that the table needs no relocations; 0 means unknown. */
struct weavefuzz_site {
  int32_t function; /* as a person writes it: demangled, without arguments */
  int32_t file;     /* as the compiler was told it */
  int32_t variable; /* "hits", "Account::balance", ... */
  uint32_t key;     /* survives unrelated edits: from function, kind, variable and order in the function */
  uint32_t line;
  uint16_t column; /* 65535: that or more */
  uint8_t kind;    /* enum weavefuzz_event_kind */
  uint8_t flags;   /* enum weavefuzz_site_flags */
  uint32_t size;   /* bytes accessed; 0: known only at run time */
  uint32_t reserved;
};

/* Why the pass left an access alone. */
enum weavefuzz_skip_reason {
  WEAVEFUZZ_SKIP_LOCAL,    /* a stack variable whose address never leaves the function */
  WEAVEFUZZ_SKIP_CONSTANT, /* constant memory, vtables */
  WEAVEFUZZ_SKIP_COMPILER, /* coverage counters, profiling, other generated code ("nosanitize") */
  WEAVEFUZZ_SKIP_IGNORED,  /* attribute or ignore list */
  WEAVEFUZZ_SKIP_REASONS
};

/* One per instrumented object file. */
struct weavefuzz_module {
  uint32_t abi_version;
  uint32_t instrumented;                    /* accesses with a hook */
  uint32_t skipped[WEAVEFUZZ_SKIP_REASONS]; /* accesses without */
  const char* name;                         /* source file */
  /* Gives every thread_local variable that the object file defines its initial value again, for the
   * calling thread. NULL if it defines none. */
  void (*reset_thread_locals)(void);
};

/* Called by a constructor of each instrumented object; the same range may be given many times. */
void __weavefuzz_register(const struct weavefuzz_site* sites_begin, const struct weavefuzz_site* sites_end,
                          const struct weavefuzz_module* modules_begin, const struct weavefuzz_module* modules_end);

/* The calling thread is about to access `size` bytes at `address`. */
void __weavefuzz_access(const struct weavefuzz_site* site, const volatile void* address, uint32_t kind, uint64_t size);

/* The calling thread is about to execute an instruction that says it waits for another one: pause, yield. */
void __weavefuzz_yield(const struct weavefuzz_site* site);

/* Function entry (its site has kind Enter) and exit, emitted only with -fweavefuzz-context. */
void __weavefuzz_enter(const struct weavefuzz_site* site);
void __weavefuzz_exit(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
