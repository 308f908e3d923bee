#ifndef CMALLOCCOUNT_H
#define CMALLOCCOUNT_H

#include <stdbool.h>
#include <stdint.h>

/// How often the calling thread has asked the heap for memory since it began: malloc, calloc, realloc and the aligned
/// ones.
uint64_t malloc_count(void);

/// Whether allocations are counted: not under a sanitizer, which has hooks of its own.
bool malloc_count_works(void);

#endif
