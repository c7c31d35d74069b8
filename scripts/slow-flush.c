/* A library to preload, for Linux: files with ".store" in their names are flushed as slowly as on a hard disk or a phone,
 * VARBATCH_SLOW_FLUSH milliseconds longer. For scripts/bench.sh --slow-flush. Extensions see it as well: the engine makes
 * them prefer their own libraries (RTLD_DEEPBIND), so that is taken out. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_if_store(int file) {
  char link[64], path[PATH_MAX];
  const char *msec = getenv("VARBATCH_SLOW_FLUSH");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  const char *name = strrchr(path, '/');
  if (msec && name && strstr(name, ".store")) usleep(atoi(msec) * 1000);
}

int fsync(int file) {
  wait_if_store(file);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  wait_if_store(file);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}

void *dlopen(const char *path, int flags) {
  return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(path, flags & ~RTLD_DEEPBIND);
}
