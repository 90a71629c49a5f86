/* SPDX-License-Identifier: MIT */
/* The terminal on stdin: raw while a guest has it, and put back however vpup ends. */
#ifndef VPUP_VMM_TERMINAL_H
#define VPUP_VMM_TERMINAL_H

#include <stdbool.h>

/*
 * Turns echo and line editing off; with keep_signals, Ctrl-C and Ctrl-\ still end vpup. Output is
 * still processed, so that vpup's own lines look right. Returns false, having done nothing, when
 * stdin is no terminal or not ours (a job in the background).
 */
bool terminal_raw(bool keep_signals);

/* Puts the terminal back as it was before terminal_raw(). Harmless without that, and twice. */
void terminal_restore(void);

/* Rows and columns of the terminal on stdin; both 0 when there is none. */
void terminal_size(unsigned *rows, unsigned *columns);

#endif
