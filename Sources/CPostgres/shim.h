#include <libpq-fe.h>
#include <sys/eventfd.h>

// Swift does not import character macros.
enum {
  marquee_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED,
  marquee_diag_sqlstate = PG_DIAG_SQLSTATE,
  marquee_diag_message = PG_DIAG_MESSAGE_PRIMARY,
  marquee_diag_constraint = PG_DIAG_CONSTRAINT_NAME,
  marquee_diag_detail = PG_DIAG_MESSAGE_DETAIL,
};

// glibc declares it only with _GNU_SOURCE.
#include <pthread.h>
extern int pthread_setname_np(pthread_t thread, const char *name);
