/* SPDX-License-Identifier: MIT */
/* Guest physical addresses as a type that the host can neither dereference nor add up by mistake. */
#ifndef VPUP_VMM_GPA_H
#define VPUP_VMM_GPA_H

#include <stdint.h>

typedef struct {
	uint64_t v;
} gpa_t;

static inline gpa_t gpa(uint64_t v)
{
	return (gpa_t){v};
}

static inline gpa_t gpa_add(gpa_t g, uint64_t bytes)
{
	return (gpa_t){g.v + bytes};
}

#endif
