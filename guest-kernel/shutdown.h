/* SPDX-License-Identifier: MIT */
/* The ways in which a run ends. */
#ifndef VPUP_GUEST_SHUTDOWN_H
#define VPUP_GUEST_SHUTDOWN_H

#include <stdint.h>

#include "guest-kernel/abi/exit.h"

/* Ends the VM with code, by the exit port; where there is none, by a reset. */
_Noreturn void guest_exit(enum guest_exit code);

/* Prints a line that says why, then ends the VM with GUEST_EXIT_FAIL. */
__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *fmt, ...);

#endif
