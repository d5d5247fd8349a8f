#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Starts counting allocations of all threads from 0, or stops.
void allocation_count_set(bool is_counting);

/// Allocations since counting started: calls of malloc, calloc, realloc and their aligned kin. 0 in builds with a
/// sanitizer, whose allocator is not replaced.
uint64_t allocation_count(void);

#endif
