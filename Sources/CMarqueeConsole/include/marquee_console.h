#ifndef MARQUEE_CONSOLE_H
#define MARQUEE_CONSOLE_H

#include <stddef.h>

/// A file of the console. Its content is static.
struct marquee_console_file {
  const char *_Nonnull name;
  const unsigned char *_Nonnull content;
  size_t size;
};

/// Returns the files of the console, and their number.
const struct marquee_console_file *_Nonnull marquee_console_files(size_t *_Nonnull count);

#endif
