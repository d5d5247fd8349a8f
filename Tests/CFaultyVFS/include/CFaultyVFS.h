// A file system of SQLite's that fails when it is told to, for tests. It passes everything on to the system's own, and
// counts what changes files below directories that have a plan; what is elsewhere it leaves alone.

#ifndef CFAULTYVFS_H
#define CFAULTYVFS_H

// What goes wrong.
enum faulty_kind {
  // Nothing; changes are counted.
  FAULTY_NOTHING,
  // A write fails and writes nothing.
  FAULTY_WRITE_ERROR,
  // A write fails after half of its bytes.
  FAULTY_SHORT_WRITE,
  // A write finds no space. If it lasts, so does every write after it that makes a file longer.
  FAULTY_DISK_FULL,
  // What was written does not reach the disk.
  FAULTY_SYNC_ERROR,
  // The machine stops: this change and everything after it fails. See faulty_restart.
  FAULTY_POWER_CUT
};

// Makes it the file system of every database that is opened from now on. Safe to repeat; -1 if SQLite refuses.
int faulty_install(void);

// Lets the change of that number, from 0 on, go wrong below `directory`; of changes, only those that the kind can
// concern are counted. Replaces the plan that the directory had. -1 when there are too many plans.
int faulty_plan(const char *directory, enum faulty_kind kind, long number, int lasts);

// Whether what was planned has happened.
int faulty_happened(const char *directory);

// Ends the plan: nothing goes wrong any more.
void faulty_forget(const char *directory);

// After a power cut: makes of the files what a disk may hold that has some sectors of what was not synchronised, and
// others not, as `seed` decides, and ends the plan. All databases in the directory have been closed. -1 on failure.
int faulty_restart(const char *directory, unsigned long seed);

#endif
