/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/sheet.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATE_NS UINT64_C(50000000)

static size_t size_of(size_t slice_count) {
  return sizeof(struct rg_sheet) + slice_count * sizeof(struct rg_slice);
}

static struct rg_sheet *map(const char *path, int file, size_t size) {
  void *memory = MAP_FAILED;
  if (file >= 0 && size >= sizeof(struct rg_sheet))
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) perror(path);
  if (file >= 0) close(file);
  return memory != MAP_FAILED ? memory : NULL;
}

struct rg_sheet *rg_sheet_new(const char *path, size_t slice_count) {
  size_t size = size_of(slice_count);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool grown = file >= 0 && ftruncate(file, (off_t)size) == 0;
  struct rg_sheet *sheet = map(path, file, grown ? size : 0);
  if (sheet != NULL) sheet->slice_count = slice_count;
  return sheet;
}

struct rg_sheet *rg_sheet_open(const char *path) {
  struct stat stat = {.st_size = 0};
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file >= 0) fstat(file, &stat);
  return map(path, file, (size_t)stat.st_size);
}

void rg_sheet_close(struct rg_sheet *sheet) {
  if (sheet != NULL) munmap(sheet, size_of(sheet->slice_count));
}

struct rg_record rg_sheet_record(struct rg_sheet *sheet) {
  return (struct rg_record){
      .slices = (struct rg_slice *)(sheet + 1),
      .count = sheet->slice_count,
  };
}

void rg_sheet_note_time(struct rg_sheet *sheet, uint64_t due, uint64_t now) {
  uint64_t late = now > due ? now - due : 0;
  struct rg_punctuality *punctuality = &sheet->punctuality;
  punctuality->planned++;
  if (late > LATE_NS) punctuality->late++;
  if (late > punctuality->latest_ns) punctuality->latest_ns = late;
}
