/* SPDX-License-Identifier: MIT */
/*
 * Hyper-V test device (QEMU's hyperv-testdev and a little more) core: lets a guest make connections
 * to its own synthetic interrupt sources, and raise them.
 */
#ifndef VPUP_DEVICES_HV_TESTDEV_H
#define VPUP_DEVICES_HV_TESTDEV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/abi/hv_testdev.h"

#define HV_TESTDEV_SINTS       16
#define HV_TESTDEV_VPS         256 /* as many as the command has room for */
#define HV_TESTDEV_CONNECTIONS 256

enum hv_testdev_kind { HV_TESTDEV_MESSAGE, HV_TESTDEV_EVENT, HV_TESTDEV_FLAGS, HV_TESTDEV_KINDS };

/* A VP's synthetic interrupt source. */
struct hv_testdev_target {
	uint8_t vp;
	uint8_t sint;
};

struct hv_testdev_env {
	uint32_t vps; /* that exist */
	/*
	 * Let hypercalls to connection `id` reach hv_testdev_target(), and no longer. connect returns 0
	 * or -errno. A call may still be on its way when disconnect returns.
	 */
	int (*connect)(void *ctx, enum hv_testdev_kind kind, uint8_t id);
	void (*disconnect)(void *ctx, enum hv_testdev_kind kind, uint8_t id);
	/* Raises the source's interrupt, as its register says; without a message or an event. */
	void (*raise)(void *ctx, struct hv_testdev_target t);
	void *ctx;
};

struct hv_testdev {
	struct hv_testdev_env env;
	uint16_t route[HV_TESTDEV_VPS]; /* a bit for each SINT that may be raised */
	_Atomic uint32_t target[HV_TESTDEV_KINDS][HV_TESTDEV_CONNECTIONS]; /* 0: not connected */
	uint64_t rejected; /* commands that made no sense, and so had no effect */
};

void hv_testdev_init(struct hv_testdev *d, const struct hv_testdev_env *env);

/* A write of the port. The callers of this function serialize. */
void hv_testdev_write(struct hv_testdev *d, uint32_t command);

/*
 * Where messages (which the guest gets back unchanged), events (it gets flag number `id`) or flags
 * (it gets the one that it signalled) of a connection go. Returns false when it is not connected. Any thread, also beside hv_testdev_write().
 */
bool hv_testdev_target(struct hv_testdev *d, enum hv_testdev_kind kind, uint8_t id,
		       struct hv_testdev_target *t);

#endif
