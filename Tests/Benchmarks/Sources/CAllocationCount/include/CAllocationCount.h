#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Starts counting the allocations of all threads from 0, or stops counting.
void allocation_count_set(bool is_counting);

/// Returns the number of allocations since counting started: calls of malloc, calloc, realloc and their aligned
/// variants.
///
/// Always 0 in builds with a sanitizer, whose allocator is not replaced.
uint64_t allocation_count(void);

#endif
