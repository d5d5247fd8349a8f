#include "CFaultyVFS.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { plan_count_max = 32, path_size_max = 512, sector_size = 512 };

// An unsynced change of a file: the bytes before and after, and the file's size before.
struct change {
  struct change *next;
  char path[path_size_max];
  sqlite3_int64 offset, old_file_size;
  int old_size, new_size, is_truncation;
  unsigned char *old_bytes, *new_bytes;
};

struct plan {
  char directory[path_size_max];
  enum faulty_kind kind;
  long number, count;
  int lasts, happened;
  struct change *first, *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct plan plans[plan_count_max];
static sqlite3_vfs vfs;
static sqlite3_vfs *base;

// A file of this VFS. The file of the default VFS follows it in memory.
struct file {
  sqlite3_file head;
  char path[path_size_max];
  sqlite3_file *real;
};

#define REAL(handle) (((struct file *)(handle))->real)

// MARK: Plans

static struct plan *plan_of(const char *path) {
  if (!path) return NULL;
  for (int index = 0; index < plan_count_max; index++) {
    size_t length = strlen(plans[index].directory);
    if (length && strncmp(path, plans[index].directory, length) == 0 && path[length] == '/') return &plans[index];
  }
  return NULL;
}

static struct plan *plan_for(const char *directory) {
  for (int index = 0; index < plan_count_max; index++) {
    if (strcmp(plans[index].directory, directory) == 0) return &plans[index];
  }
  return NULL;
}

static void free_change(struct change *change) {
  free(change->old_bytes);
  free(change->new_bytes);
  free(change);
}

static void clear(struct plan *plan) {
  while (plan->first) {
    struct change *next = plan->first->next;
    free_change(plan->first);
    plan->first = next;
  }
  memset(plan, 0, sizeof *plan);
}

int faulty_plan(const char *directory, enum faulty_kind kind, long number, int lasts) {
  if (!directory[0] || strlen(directory) >= path_size_max) return -1;
  pthread_mutex_lock(&lock);
  struct plan *plan = plan_for(directory);
  if (plan) clear(plan); else plan = plan_for("");
  if (plan) {
    strcpy(plan->directory, directory);
    plan->kind = kind;
    plan->number = number;
    plan->lasts = lasts;
  }
  pthread_mutex_unlock(&lock);
  return plan ? 0 : -1;
}

int faulty_happened(const char *directory) {
  pthread_mutex_lock(&lock);
  struct plan *plan = directory[0] ? plan_for(directory) : NULL;
  int happened = plan && plan->happened;
  pthread_mutex_unlock(&lock);
  return happened;
}

void faulty_reset(const char *directory) {
  pthread_mutex_lock(&lock);
  struct plan *plan = directory[0] ? plan_for(directory) : NULL;
  if (plan) clear(plan);
  pthread_mutex_unlock(&lock);
}

static int is_cut(const struct plan *plan) { return plan && plan->kind == FAULTY_POWER_CUT && plan->happened; }

// Counts an operation that the plan's kind affects, and returns whether it fails.
static int is_due(struct plan *plan) {
  if (plan->happened || plan->count++ != plan->number) return 0;
  plan->happened = 1;
  return 1;
}

// MARK: Unsynced changes

static void note(
    struct plan *plan, struct file *file, sqlite3_int64 offset, const void *bytes, int size, int is_truncation) {
  struct change *change = calloc(1, sizeof *change);
  if (!change) abort();
  strcpy(change->path, file->path);
  change->offset = offset;
  change->is_truncation = is_truncation;
  file->real->pMethods->xFileSize(file->real, &change->old_file_size);
  sqlite3_int64 end = is_truncation ? change->old_file_size : offset + size;
  if (end > change->old_file_size) end = change->old_file_size;
  change->old_size = end > offset ? (int)(end - offset) : 0;
  change->old_bytes = malloc((size_t)change->old_size + 1);
  change->new_size = size;
  change->new_bytes = malloc((size_t)size + 1);
  if (!change->old_bytes || !change->new_bytes) abort();
  if (change->old_size) file->real->pMethods->xRead(file->real, change->old_bytes, change->old_size, offset);
  if (size) memcpy(change->new_bytes, bytes, (size_t)size);
  if (plan->last) plan->last->next = change; else plan->first = change;
  plan->last = change;
}

static void discard_changes(struct plan *plan, const char *path) {
  struct change **link = &plan->first;
  plan->last = NULL;
  while (*link) {
    struct change *change = *link;
    if (strcmp(change->path, path) == 0) {
      *link = change->next;
      free_change(change);
    } else {
      plan->last = change;
      link = &change->next;
    }
  }
}

static int undo(const struct change *change) {
  // Undoes later changes first.
  if (change->next && undo(change->next)) return -1;
  int file = open(change->path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  int failed = change->old_size
      && pwrite(file, change->old_bytes, (size_t)change->old_size, change->offset) != change->old_size;
  failed = failed || ftruncate(file, change->old_file_size);
  close(file);
  return failed ? -1 : 0;
}

static unsigned long chance(unsigned long *state) {
  *state += 0x9E3779B97F4A7C15ul;
  unsigned long mixed = (*state ^ (*state >> 30)) * 0xBF58476D1CE4E5B9ul;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBul;
  return mixed ^ (mixed >> 31);
}

// Redoes the change, some of its sectors, or nothing.
static int redo(const struct change *change, unsigned long *state) {
  int fate = (int)(chance(state) % 3);
  if (fate == 0) return 0;
  int file = open(change->path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  int failed = 0;
  if (change->is_truncation) {
    failed = ftruncate(file, change->offset);
  } else {
    for (int start = 0; start < change->new_size && !failed; start += sector_size) {
      int size = change->new_size - start < sector_size ? change->new_size - start : sector_size;
      if (fate == 2 && chance(state) % 2) continue;
      failed = pwrite(file, change->new_bytes + start, (size_t)size, change->offset + start) != size;
    }
  }
  close(file);
  return failed ? -1 : 0;
}

int faulty_restart(const char *directory, unsigned long seed) {
  pthread_mutex_lock(&lock);
  struct plan *plan = directory[0] ? plan_for(directory) : NULL;
  int failed = plan == NULL;
  if (plan && plan->first) {
    failed = undo(plan->first);
    for (struct change *change = plan->first; change && !failed; change = change->next) {
      failed = redo(change, &seed);
    }
  }
  if (plan) clear(plan);
  pthread_mutex_unlock(&lock);
  return failed ? -1 : 0;
}

// MARK: Files

static int file_close(sqlite3_file *handle) { return REAL(handle)->pMethods->xClose(REAL(handle)); }

static int file_read(sqlite3_file *handle, void *bytes, int size, sqlite3_int64 offset) {
  pthread_mutex_lock(&lock);
  int cut = is_cut(plan_of(((struct file *)handle)->path));
  pthread_mutex_unlock(&lock);
  return cut ? SQLITE_IOERR_READ : REAL(handle)->pMethods->xRead(REAL(handle), bytes, size, offset);
}

static int write_with(struct plan *plan, struct file *file, const void *bytes, int size, sqlite3_int64 offset) {
  const sqlite3_io_methods *methods = file->real->pMethods;
  if (is_cut(plan)) return SQLITE_IOERR_WRITE;
  switch (plan->kind) {
    case FAULTY_NOTHING:
    case FAULTY_SYNC_ERROR:
      break;
    case FAULTY_WRITE_ERROR:
      if (is_due(plan)) return SQLITE_IOERR_WRITE;
      break;
    case FAULTY_SHORT_WRITE:
      if (is_due(plan)) {
        methods->xWrite(file->real, bytes, size / 2, offset);
        return SQLITE_IOERR_WRITE;
      }
      break;
    case FAULTY_DISK_FULL: {
      sqlite3_int64 end = 0;
      if (plan->happened && plan->lasts) {
        methods->xFileSize(file->real, &end);
        if (offset + size > end) return SQLITE_FULL;
      } else if (is_due(plan)) {
        methods->xWrite(file->real, bytes, size / 2, offset);
        return SQLITE_FULL;
      }
      break;
    }
    case FAULTY_POWER_CUT:
      note(plan, file, offset, bytes, size, 0);
      if (is_due(plan)) return SQLITE_IOERR_WRITE;
      break;
  }
  return methods->xWrite(file->real, bytes, size, offset);
}

static int file_write(sqlite3_file *handle, const void *bytes, int size, sqlite3_int64 offset) {
  struct file *file = (struct file *)handle;
  pthread_mutex_lock(&lock);
  struct plan *plan = plan_of(file->path);
  int code = plan ? write_with(plan, file, bytes, size, offset)
                  : file->real->pMethods->xWrite(file->real, bytes, size, offset);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_truncate(sqlite3_file *handle, sqlite3_int64 size) {
  struct file *file = (struct file *)handle;
  pthread_mutex_lock(&lock);
  struct plan *plan = plan_of(file->path);
  int fails = 0;
  if (is_cut(plan)) {
    fails = 1;
  } else if (plan && (plan->kind == FAULTY_WRITE_ERROR || plan->kind == FAULTY_POWER_CUT)) {
    if (plan->kind == FAULTY_POWER_CUT) note(plan, file, size, NULL, 0, 1);
    fails = is_due(plan);
  }
  int code = fails ? SQLITE_IOERR_TRUNCATE : file->real->pMethods->xTruncate(file->real, size);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_sync(sqlite3_file *handle, int flags) {
  struct file *file = (struct file *)handle;
  pthread_mutex_lock(&lock);
  struct plan *plan = plan_of(file->path);
  int fails = 0;
  if (plan && (plan->kind == FAULTY_SYNC_ERROR || plan->kind == FAULTY_POWER_CUT)) {
    fails = is_cut(plan) || is_due(plan) || (plan->lasts && plan->happened);
    if (!fails && plan->kind == FAULTY_POWER_CUT) discard_changes(plan, file->path);
  }
  int code = fails ? SQLITE_IOERR_FSYNC : file->real->pMethods->xSync(file->real, flags);
  pthread_mutex_unlock(&lock);
  return code;
}

static int file_size(sqlite3_file *handle, sqlite3_int64 *size) {
  return REAL(handle)->pMethods->xFileSize(REAL(handle), size);
}

static int file_lock(sqlite3_file *handle, int level) { return REAL(handle)->pMethods->xLock(REAL(handle), level); }

static int file_unlock(sqlite3_file *handle, int level) { return REAL(handle)->pMethods->xUnlock(REAL(handle), level); }

static int file_check_lock(sqlite3_file *handle, int *out) {
  return REAL(handle)->pMethods->xCheckReservedLock(REAL(handle), out);
}

static int file_control(sqlite3_file *handle, int operation, void *argument) {
  return REAL(handle)->pMethods->xFileControl(REAL(handle), operation, argument);
}

static int file_sector_size(sqlite3_file *handle) { return REAL(handle)->pMethods->xSectorSize(REAL(handle)); }

static int file_characteristics(sqlite3_file *handle) {
  return REAL(handle)->pMethods->xDeviceCharacteristics(REAL(handle));
}

static int shm_map(sqlite3_file *handle, int page, int size, int extend, void volatile **out) {
  return REAL(handle)->pMethods->xShmMap(REAL(handle), page, size, extend, out);
}

static int shm_lock(sqlite3_file *handle, int offset, int count, int flags) {
  return REAL(handle)->pMethods->xShmLock(REAL(handle), offset, count, flags);
}

static void shm_barrier(sqlite3_file *handle) { REAL(handle)->pMethods->xShmBarrier(REAL(handle)); }

static int shm_unmap(sqlite3_file *handle, int deletes) {
  return REAL(handle)->pMethods->xShmUnmap(REAL(handle), deletes);
}

// Version 2 of the methods, without memory-mapped I/O, so that every access is intercepted.
static const sqlite3_io_methods methods = {
    2,           file_close,      file_read,    file_write,       file_truncate,        file_sync, file_size, file_lock,
    file_unlock, file_check_lock, file_control, file_sector_size, file_characteristics, shm_map,   shm_lock,
    shm_barrier, shm_unmap,       NULL,         NULL};

// MARK: VFS

static int vfs_open(sqlite3_vfs *self, sqlite3_filename name, sqlite3_file *handle, int flags, int *out) {
  (void)self;
  struct file *file = (struct file *)handle;
  memset(file, 0, sizeof *file);
  if (name && strlen(name) >= path_size_max) return SQLITE_CANTOPEN;
  if (name) strcpy(file->path, name);
  file->real = (sqlite3_file *)(file + 1);
  int code = base->xOpen(base, name, file->real, flags, out);
  // If a file has methods, SQLite closes it even if opening it failed.
  if (file->real->pMethods) file->head.pMethods = &methods;
  return code;
}

static int vfs_delete(sqlite3_vfs *self, const char *name, int syncs) {
  (void)self;
  pthread_mutex_lock(&lock);
  struct plan *plan = plan_of(name);
  int cut = is_cut(plan);
  if (!cut && plan) discard_changes(plan, name);
  pthread_mutex_unlock(&lock);
  return cut ? SQLITE_IOERR_DELETE : base->xDelete(base, name, syncs);
}

int faulty_install(void) {
  pthread_mutex_lock(&lock);
  int code = SQLITE_OK;
  if (!base) {
    base = sqlite3_vfs_find(NULL);
    if (base) {
      vfs = *base;
      vfs.zName = "faulty";
      vfs.szOsFile = (int)sizeof(struct file) + base->szOsFile;
      vfs.xOpen = vfs_open;
      vfs.xDelete = vfs_delete;
      code = sqlite3_vfs_register(&vfs, 1);
    }
  }
  int installed = base != NULL && code == SQLITE_OK;
  pthread_mutex_unlock(&lock);
  return installed ? 0 : -1;
}
