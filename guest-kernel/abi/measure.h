/* SPDX-License-Identifier: MIT */
/*
 * The port through which measure=exits has the host measure beside it: a byte n written has vpup make
 * n exits of a VM with nothing behind it (vmm/bare_exit.h), between this OUT and the next
 * instruction. Where nobody answers, nothing happens.
 */
#ifndef VPUP_ABI_MEASURE_H
#define VPUP_ABI_MEASURE_H

#define MEASURE_PORT 0xfa

#endif
