/* SPDX-License-Identifier: MIT */
/* Names of the bundled guest's tests (`test=` on its command line), in the order in which they run. */
#ifndef VPUP_ABI_TESTS_H
#define VPUP_ABI_TESTS_H

#define TEST_ALL "all"

/* For an array of strings */
#define TEST_NAMES                                                                               \
	"start-vp", "cpuid", "msr", "overlay", "hypercall", "privilege", "small-calls", "time",  \
		"synic", "message", "connection", "post", "signal", "stimer", "lateness", "ipi", \
		"flush", "vp-registers", "crash", "assist", "bad-input", "tsc-invariant"

#endif
