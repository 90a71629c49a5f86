/* SPDX-License-Identifier: MIT */
/* What a kernel file tells about the kernel in it, and the command line that it gets. */
#include "vmm/kernel_study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vmm/cmdline.h"
#include "vmm/kernel_hz.h"

int kernel_study(struct kernel_study *k, const struct vm_config *cfg, uint64_t tsc_khz,
		 const char *path, const uint8_t *file, size_t size_bytes, struct err *e)
{
	struct kernel_hz hz = {.hz = cfg->hz, .source = "--hz"};
	const bool wants_lpj = cfg->kernel && cfg->lpj == LPJ_AUTO;
	int ret = 0;

	*k = (struct kernel_study){.cmdline = NULL};
	k->is_linux = cfg->kernel && linux_image_version(k->release, file, size_bytes);
	if (cfg->exec && !k->is_linux)
		return err_set(e, EINVAL, "this is no Linux kernel, as --exec needs it");
	if (wants_lpj && !hz.hz)
		ret = kernel_hz_find(&hz, path, file, size_bytes, e);
	if (ret)
		return ret;
	k->cmdline = cmdline_build(cfg, hz.hz, tsc_khz, e);
	if (k->cmdline && wants_lpj)
		snprintf(k->lpj_note, sizeof(k->lpj_note),
			 "lpj=%" PRIu64 ", from a TSC of %.3f MHz and HZ=%u (%s)",
			 cmdline_lpj(tsc_khz, hz.hz), (double)tsc_khz / 1000.0, hz.hz, hz.source);
	return k->cmdline ? 0 : -ENOMEM;
}

int kernel_study_machine(struct kernel_study *k, struct machine *m, const char *path,
			 const uint8_t *file, size_t size_bytes, struct err *e)
{
	struct vm_config given = *m->cfg;
	int ret;

	given.append = m->append;
	ret = kernel_study(k, &given, m->record->tsc_khz, path, file, size_bytes, e);
	m->guest_is_linux = k->is_linux;
	memcpy(m->lpj_note, k->lpj_note, sizeof(m->lpj_note));
	return ret;
}
