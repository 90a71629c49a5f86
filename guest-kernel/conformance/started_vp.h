/* SPDX-License-Identifier: MIT */
/* What a VP that StartVirtualProcessor started finds in its registers; shared with assembly. */
#ifndef VPUP_GUEST_CONFORMANCE_STARTED_VP_H
#define VPUP_GUEST_CONFORMANCE_STARTED_VP_H

#define STARTED_RSP    0
#define STARTED_RFLAGS 8
#define STARTED_CR0    16
#define STARTED_CR3    24
#define STARTED_CR4    32
#define STARTED_EFER   40
#define STARTED_PAT    48
#define STARTED_GSBASE 56
#define STARTED_CS     64
#define STARTED_SS     72
#define STARTED_TR     80
#define STARTED_HV     88
#define STARTED_HERE   96

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* GS points at it, and so does RSP, behind it, for want of another register. */
struct started_vp {
	uint64_t rsp, rflags, cr0, cr3, cr4, efer, pat, gs_base, cs, ss, tr;
	uint64_t vp_index; /* as its MSR says */
	uint64_t here;     /* 1 once all is filled in */
	uint64_t stack[16];
};

_Static_assert(offsetof(struct started_vp, rflags) == STARTED_RFLAGS, "started_vp.h");
_Static_assert(offsetof(struct started_vp, efer) == STARTED_EFER, "started_vp.h");
_Static_assert(offsetof(struct started_vp, tr) == STARTED_TR, "started_vp.h");
_Static_assert(offsetof(struct started_vp, vp_index) == STARTED_HV, "started_vp.h");
_Static_assert(offsetof(struct started_vp, here) == STARTED_HERE, "started_vp.h");

/* In started_vp.S: where the VP starts. It writes down what it finds and halts for ever. */
extern const char started_vp_entry[];
#endif

#endif
