/* SPDX-License-Identifier: MIT */
/* What a kernel file tells about the kernel in it, and the command line that it gets. */
#include "vmm/kernel_study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "vmm/cmdline.h"
#include "vmm/kernel_hz.h"

int kernel_study(struct kernel_study *k, struct machine *m, const char *path, const uint8_t *file,
		 size_t size_bytes, struct err *e)
{
	const struct vm_config *cfg = m->cfg;
	struct kernel_hz hz = {.hz = cfg->hz, .source = "--hz"};
	struct vm_config given;
	int ret = 0;

	*k = (struct kernel_study){.cmdline = NULL};
	m->guest_is_linux = cfg->kernel && linux_image_version(k->release, file, size_bytes);
	if (cfg->exec && !m->guest_is_linux)
		return err_set(e, EINVAL, "this is no Linux kernel, as --exec needs it");
	if (cfg->kernel && cfg->lpj == LPJ_AUTO && !hz.hz)
		ret = kernel_hz_find(&hz, path, file, size_bytes, e);
	if (ret)
		return ret;
	given = *cfg;
	given.append = m->append;
	k->cmdline = cmdline_build(&given, hz.hz, m->record->tsc_khz, e);
	if (k->cmdline && cfg->kernel && cfg->lpj == LPJ_AUTO)
		snprintf(m->lpj_note, sizeof(m->lpj_note),
			 "lpj=%" PRIu64 ", from a TSC of %.3f MHz and HZ=%u (%s)",
			 cmdline_lpj(m->record->tsc_khz, hz.hz),
			 (double)m->record->tsc_khz / 1000.0, hz.hz, hz.source);
	return k->cmdline ? 0 : -ENOMEM;
}
