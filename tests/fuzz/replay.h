/* SPDX-License-Identifier: Apache-2.0 */
/* Without a fuzzer (AK_FUZZ_REPLAY): a program that runs the files it is given once each. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#ifdef AK_FUZZ_REPLAY
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    static uint8_t buffer[8 << 20];
    FILE *file = fopen (argv[i], "rb");
    if (!file) {
      perror (argv[i]);
      return 1;
    }
    size_t size = fread (buffer, 1, sizeof buffer, file);
    fclose (file);
    /* A copy of its exact size, so that a sanitizer sees a read behind its end. */
    uint8_t *copy = malloc (size ? size : 1);
    if (!copy)
      return 1;
    for (size_t k = 0; k < size; k++)
      copy[k] = buffer[k];
    LLVMFuzzerTestOneInput (copy, size);
    free (copy);
  }
  return 0;
}
#endif
#endif
