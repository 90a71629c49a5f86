/* SPDX-License-Identifier: MIT */
/* `--pin`: which host CPU each VP's thread runs on. */
#ifndef VPUP_VMM_PIN_H
#define VPUP_VMM_PIN_H

#include "vmm/host_cpus.h"

#define PIN_NONE UINT32_MAX

struct pin {
	uint32_t *cpu;       /* [vps], owned: PIN_NONE where the VP is not pinned; NULL: none is */
	struct id_list used; /* CPUs that VPs are pinned to, each as often as it is named */
};

/*
 * Parses text, which may be NULL: CPUs that the VPs get in turn ("0-3,8"), or VPs each with a CPU
 * ("0=2,1=3"). Returns 0, or -errno with e naming what is wrong. p is for pin_fini() in any case.
 */
int pin_init(struct pin *p, const char *text, uint32_t vps, struct err *e);
void pin_fini(struct pin *p);

/* Binds the thread that attr will make to the VP's CPU, if it has one. 0 or an errno value. */
int pin_bind(const struct pin *p, uint32_t vp, pthread_attr_t *attr);

#endif
