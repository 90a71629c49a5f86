/* SPDX-License-Identifier: MIT */
/* The host that the Hyper-V library sees, and its state. */
#ifndef VPUP_VMM_HV_HOST_OPS_H
#define VPUP_VMM_HV_HOST_OPS_H

#include <pthread.h>

#include "hyperv/hv.h"
#include "vmm/hv_timer.h"
#include "vmm/machine.h"

#define HV_LAST_WORDS_BYTES 4096

struct hv_host {
	struct machine *m;
	struct hv_config cfg;
	struct hv_partition *partition;
	uint64_t start_tsc;  /* host TSC of reference time 0 */
	uint64_t tsc_offset; /* guest TSC - host TSC, the same for all VPs */
	bool kvm_has_hyperv;
	struct hv_timers timers;
	struct hv_vp_context *context; /* [vps] */
	pthread_t filter_thread;
	bool filtering; /* filter_thread was started and not yet joined */
	int filter_result;
	struct err filter_err;
	atomic_bool crashed; /* last_words are being written, or are */
	char last_words[HV_LAST_WORDS_BYTES + 1];
};

/* The ctx of all of them is the struct hv_host. */
extern const struct hv_host_ops hv_host_ops;

#endif
