/* SPDX-License-Identifier: MIT */
/* Hosts whose KVM emulates instructions: too slow for a stock Linux. */
#include "vmm/slow_host.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "vmm/mips.h"

static bool has_hardware_kvm(void)
{
	return access("/sys/module/kvm_intel", F_OK) == 0 ||
	       access("/sys/module/kvm_amd", F_OK) == 0;
}

int machine_check_speed(struct machine *m, struct err *e)
{
	struct kvm k;
	double mips;
	int ret;

	if (!m->guest_is_linux || m->cfg->force || has_hardware_kvm())
		return 0;
	ret = kvm_open(&k, e);
	if (ret == 0)
		ret = mips_measure(&k, &mips, e);
	kvm_close(&k);
	if (ret || mips >= MIPS_EMULATED_BELOW)
		return ret;
	return err_set(e, ENOTSUP,
		       "this host's KVM emulates its guests, %.1f million instructions a second: "
		       "Linux would need many minutes to boot. 'vpup lab -- run ...' runs it "
		       "faster, --force here",
		       mips);
}
