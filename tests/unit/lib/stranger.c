#include <pcai.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  static unsigned char data[1 << 16];
  size_t size = fread(data, 1, sizeof data, stdin);
  pcai_plain plain = {.allocate = malloc, .release = free};
  pcai_host host;
  pcai *file;
  pcai_embedded(&plain);
  pcai_plain_host(&host, &plain);
  int fault = pcai_open(&file, data, size, &host);
  const pcai_info *info = pcai_about(file);
  for (int64_t part = 0; !fault && part < info->parts; part++) fault = pcai_decode(file, part, info->k);
  size_t apart = (size_t)(info->width * info->channels);
  unsigned char *pixels = malloc((size_t)info->lines * apart);
  if (!fault) fault = pcai_lines(file, info->k, 0, info->lines, 1, pixels, apart);
  if (fault) fprintf(stderr, "%s\n", pcai_reason(file, NULL));
  if (!fault) fwrite(pixels, apart, (size_t)info->lines, stdout);
  free(pixels);
  pcai_close(file);
  return fault;
}
