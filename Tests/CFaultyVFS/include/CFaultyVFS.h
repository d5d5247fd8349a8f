// An SQLite VFS for fault injection. It forwards all operations to the default VFS, and counts the operations that
// modify files in directories with a fault plan. Files in other directories are not affected.

#ifndef CFAULTYVFS_H
#define CFAULTYVFS_H

// The kind of an injected fault.
enum faulty_kind {
  // No fault; operations are only counted.
  FAULTY_NOTHING,
  // A write fails without writing any bytes.
  FAULTY_WRITE_ERROR,
  // A write fails after writing half of its bytes.
  FAULTY_SHORT_WRITE,
  // A write fails because the disk is full. If the fault lasts, so does every later write that extends a file.
  FAULTY_DISK_FULL,
  // A sync fails.
  FAULTY_SYNC_ERROR,
  // A power failure: this operation and every later one fails. See faulty_restart.
  FAULTY_POWER_CUT
};

// Registers the VFS as the default for databases opened from now on. Idempotent. Returns -1 if SQLite rejects it.
int faulty_install(void);

// Plans a fault in the operation with that number, counted from 0, on files in `directory`. Only operations that the
// kind affects are counted. Replaces the directory's plan. Returns -1 if there are too many plans.
int faulty_plan(const char *directory, enum faulty_kind kind, long number, int lasts);

// Returns whether the planned fault has occurred.
int faulty_happened(const char *directory);

// Removes the plan, which ends the fault.
void faulty_reset(const char *directory);

// Simulates a restart after a power failure: rewrites the files as if only some sectors of the unsynced writes, chosen
// by `seed`, had reached the disk, and removes the plan. All databases in the directory must be closed. Returns -1 on
// failure.
int faulty_restart(const char *directory, unsigned long seed);

#endif
