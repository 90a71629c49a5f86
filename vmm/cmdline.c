/* SPDX-License-Identifier: MIT */
/* The guest's command line: what was asked for, and what vpup adds to it. */
#include "vmm/cmdline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

uint64_t cmdline_lpj(uint64_t tsc_khz, unsigned hz)
{
	return tsc_khz * 1000 / hz;
}

/* The bundled guest has words for it; Linux has lpj=N. */
static int add_lpj(char *out, size_t size, const struct vm_config *cfg, unsigned hz,
		   uint64_t tsc_khz)
{
	switch (cfg->lpj) {
	case LPJ_AUTO:
		if (cfg->kernel)
			return snprintf(out, size, " lpj=%" PRIu64, cmdline_lpj(tsc_khz, hz));
		if (cfg->hz)
			return snprintf(out, size, " lpj=preset hz=%u", cfg->hz);
		return snprintf(out, size, " lpj=preset");
	case LPJ_NUMBER:
		return snprintf(out, size, " lpj=%" PRIu64, cfg->lpj_number);
	case LPJ_OFF:
		return snprintf(out, size, "%s", cfg->kernel ? "" : " lpj=calibrate");
	case LPJ_UNSET:
		break;
	}
	return 0;
}

char *cmdline_build(const struct vm_config *cfg, unsigned hz, uint64_t tsc_khz, struct err *e)
{
	char lpj[64] = "";
	char *line;

	add_lpj(lpj, sizeof(lpj), cfg, hz, tsc_khz);
	if (asprintf(&line, "%s%s", cfg->append, cfg->append[0] || !lpj[0] ? lpj : lpj + 1) < 0) {
		err_set(e, ENOMEM, "out of memory for the guest's command line");
		return NULL;
	}
	return line;
}
