/* SPDX-License-Identifier: MIT */
/* What the bundled guest writes to the exit port (0xF4) when it is done. */
#ifndef VPUP_ABI_EXIT_H
#define VPUP_ABI_EXIT_H

#define EXIT_PORT 0xf4

enum guest_exit {
	GUEST_EXIT_OK = 0,
	GUEST_EXIT_FAIL = 1,  /* it ran, and reports failure: a VP missing, a bad option */
	GUEST_EXIT_PANIC = 2, /* it crashed: an unexpected exception; the console says where */
};

#endif
