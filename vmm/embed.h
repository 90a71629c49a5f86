/* SPDX-License-Identifier: MIT */
/* Files that are part of the program. */
#ifndef VPUP_VMM_EMBED_H
#define VPUP_VMM_EMBED_H

/*
 * At file scope: defines `name`, the file's bytes with a 0 behind them, and `name_end`, the address of
 * that 0. The path is relative to the directory in which make runs; the object depends on the file by
 * a rule in the Makefile, as the compiler does not see it.
 */
#define EMBED_FILE(name, path)                            \
	__asm__(".pushsection .rodata\n"                  \
		".global " #name "\n" #name ":\n"         \
		".incbin \"" path "\"\n"                  \
		".global " #name "_end\n" #name "_end:\n" \
		".byte 0\n"                               \
		".popsection\n");                         \
	extern const char name[], name##_end[]

#endif
