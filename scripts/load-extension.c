/* load-extension LIBRARY: loads an extension as Godot on Windows does, prints the libraries that it imports, and fails if
 * one is not part of Windows. Starts it with the functions of an engine that is too old, which it must refuse, and unloads
 * it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

typedef void (*Function)(void);
typedef Function GetFunction(const char *);

static void get_godot_version(void *version) {
  struct {
    uint32_t major, minor, patch;
    const char *text;
  } old = {4, 3, 0, "Godot Engine v4.3.stable.test"};
  memcpy(version, &old, sizeof old);
}

static Function get_function(const char *name) {
  return strcmp(name, "get_godot_version") == 0 ? (Function)get_godot_version : NULL;
}

static int imports_only_windows(HMODULE library) {
  char *base = (char *)library, windows[MAX_PATH], path[MAX_PATH];
  IMAGE_NT_HEADERS *headers = (IMAGE_NT_HEADERS *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
  IMAGE_DATA_DIRECTORY *imports = &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  size_t length = GetWindowsDirectoryA(windows, sizeof windows);
  int all = 1;
  for (IMAGE_IMPORT_DESCRIPTOR *import = (void *)(base + imports->VirtualAddress); import->Name; import++) {
    DWORD found = GetModuleFileNameA(GetModuleHandleA(base + import->Name), path, sizeof path);
    int is_windows = found && _strnicmp(path, windows, length) == 0;
    printf("imports %s%s\n", base + import->Name, is_windows ? "" : ", which is no part of Windows");
    all &= is_windows;
  }
  return all;
}

static int check(const char *what, int is_good) {
  printf("%s: %s\n", what, is_good ? "ok" : "FAILED");
  fflush(stdout);
  return is_good ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  HMODULE library = LoadLibraryA(arguments[1]);
  if (!library) printf("error %lu\n", GetLastError());
  if (check("it is loaded", library != NULL)) return 1;
  int failed = check("all imports are part of Windows", imports_only_windows(library));
  uint8_t (*init)(GetFunction *, void *, void *) = (void *)GetProcAddress(library, "gdext_rust_init");
  if (check("it has its entry point", init != NULL)) return 1;
  void *initialization[8] = {0};
  failed += check("it refuses an engine that is too old", init(get_function, NULL, initialization) == 0);
  failed += check("it is unloaded", FreeLibrary(library));
  return failed != 0;
}
