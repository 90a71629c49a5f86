/* SPDX-License-Identifier: MIT */
/* Long lines, broken between words. */
#ifndef VPUP_BENCH_WRAP_H
#define VPUP_BENCH_WRAP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints text and a newline, in lines of at most `width` columns as far as its words allow; all
 * lines but the first begin with four blanks.
 */
void wrap_print(FILE *out, const char *text, size_t width);

#endif
