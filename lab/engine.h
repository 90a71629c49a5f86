/* SPDX-License-Identifier: MIT */
/* Engines: what runs L1. Each is a program of which this knows the command line. */
#ifndef VPUP_LAB_ENGINE_H
#define VPUP_LAB_ENGINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vmm/err.h"

/* The files that an engine finds open, by number. */
enum engine_fd {
	ENGINE_FD_LOG = 3, /* L1's serial console goes here */
	ENGINE_FD_CHANNEL, /* and what it writes to port FRAME_PORT here */
	ENGINE_FD_KERNEL,
	ENGINE_FD_INITRD,
	ENGINE_FD_END,
};

/* L1's machine. Strings are the caller's. */
struct engine_config {
	uint32_t cpus;
	uint64_t memory_bytes;
	const char *append; /* kernel command line */
	const char *hyperv; /* what a vpup engine shows L1: its --hyperv */
};

struct engine {
	const char *name;    /* of --engine */
	const char *program; /* looked up in PATH; NULL: vpup itself */
	const char *package; /* who brings it */
	/* Its command line: a NULL-terminated list, malloc'ed as a whole; NULL: out of memory. */
	char **(*argv)(const struct engine *engine, const struct engine_config *c);
};

/* By name; NULL with e listing them when there is none. */
const struct engine *engine_find(const char *name, struct err *e);

/* The one for this machine: KVM where it can nest, else emulation. */
const struct engine *engine_default(void);

/* kvm_amd or kvm_intel: what L1's kernel needs on that engine. */
const char *engine_kvm_module(const struct engine *engine);

#endif
