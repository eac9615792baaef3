/* A loader of gdk-pixbuf: .pcai files in programs of GNOME, Xfce and others that show pictures by it. */
#define GDK_PIXBUF_ENABLE_BACKEND
#include "rgba.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gmodule.h>

typedef struct {
  GByteArray *content;
  GdkPixbufModuleSizeFunc sized;
  GdkPixbufModulePreparedFunc prepared;
  GdkPixbufModuleUpdatedFunc updated;
  gpointer user;
} Loading;

static gpointer begin_load(GdkPixbufModuleSizeFunc sized, GdkPixbufModulePreparedFunc prepared,
                           GdkPixbufModuleUpdatedFunc updated, gpointer user, GError **error) {
  (void)error;
  Loading *loading = g_new(Loading, 1);
  *loading = (Loading){g_byte_array_new(), sized, prepared, updated, user};
  return loading;
}

static gboolean load_increment(gpointer context, const guchar *data, guint size, GError **error) {
  (void)error;
  g_byte_array_append(((Loading *)context)->content, data, size);
  return TRUE;
}

/* The picture, of the size that is asked for or the next larger one that is quick to make; of a stack the first. */
static GdkPixbuf *decoded(const Loading *loading, Shown *shown, const char **fault) {
  const pcai_info *info = shown->info;
  if (info->width > G_MAXINT / 4 || info->height > G_MAXINT) return *fault = "The image is too large.", NULL;
  gint width = (gint)info->width, height = (gint)info->height;
  if (loading->sized) loading->sized(&width, &height, loading->user);
  if (width == 0 || height == 0) return *fault = "The image is not wanted.", NULL;
  int64_t reduction = reduction_for(shown, width, height);
  GdkPixbuf *pixbuf =
      gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, (int)reduced_side(info->width, reduction), (int)reduced_side(info->height, reduction));
  if (!pixbuf) return *fault = "There is not enough memory.", NULL;
  if (loading->prepared) loading->prepared(pixbuf, NULL, loading->user);
  *fault = paint_shown(shown, 0, reduction, gdk_pixbuf_get_pixels(pixbuf), (size_t)gdk_pixbuf_get_rowstride(pixbuf));
  if (!*fault && loading->updated)
    loading->updated(pixbuf, 0, 0, gdk_pixbuf_get_width(pixbuf), gdk_pixbuf_get_height(pixbuf), loading->user);
  return pixbuf;
}

static gboolean stop_load(gpointer context, GError **error) {
  Loading *loading = context;
  Shown shown;
  const char *fault = open_shown(&shown, loading->content->data, loading->content->len);
  GdkPixbuf *pixbuf = fault ? NULL : decoded(loading, &shown, &fault);
  if (fault) g_set_error_literal(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_CORRUPT_IMAGE, fault);
  if (pixbuf) g_object_unref(pixbuf);
  close_shown(&shown);
  g_byte_array_unref(loading->content);
  g_free(loading);
  return fault == NULL;
}

G_MODULE_EXPORT void fill_vtable(GdkPixbufModule *module);
G_MODULE_EXPORT void fill_info(GdkPixbufFormat *info);

G_MODULE_EXPORT void fill_vtable(GdkPixbufModule *module) {
  module->begin_load = begin_load;
  module->load_increment = load_increment;
  module->stop_load = stop_load;
}

G_MODULE_EXPORT void fill_info(GdkPixbufFormat *info) {
  static const GdkPixbufModulePattern signature[] = {{"\x89PCAI\r\n\x1a", NULL, 100}, {NULL, NULL, 0}};
  static const gchar *types[] = {"image/x-pcaimage", NULL}, *extensions[] = {"pcai", NULL};
  info->name = (gchar *)"pcai";
  info->signature = (GdkPixbufModulePattern *)signature;
  info->description = (gchar *)"pcaimage compressed image";
  info->mime_types = (gchar **)types;
  info->extensions = (gchar **)extensions;
  info->flags = GDK_PIXBUF_FORMAT_THREADSAFE;
  info->license = (gchar *)"MIT";
}
