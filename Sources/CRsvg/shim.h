#include <cairo.h>
#include <glib-object.h>

// The two functions of librsvg 2.46 and later that are called, as <librsvg/rsvg.h> declares them. That header is not
// included because it needs gdk-pixbuf's compiler flags, and SwiftPM warns about one of them (-pthread) in every build.

typedef struct _RsvgHandle RsvgHandle;

typedef struct {
  double x;
  double y;
  double width;
  double height;
} RsvgRectangle;

RsvgHandle *rsvg_handle_new_from_data(const guint8 *data, gsize data_len, GError **error);

gboolean rsvg_handle_render_document(
    RsvgHandle *handle, cairo_t *cr, const RsvgRectangle *viewport, GError **error);
