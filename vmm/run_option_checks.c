/* SPDX-License-Identifier: MIT */
/* What options of `vpup run` ask of one another. */
#include "vmm/run_option_checks.h"

#include <string.h>

#include "vmm/cli.h"
#include "vmm/run_option.h"

#define CMD              RUN_OPTION_CMD
#define FAULTY_TIMEOUT_S 60 /* a run that must end, whatever the guest makes of the fault */

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

int run_options_check(const struct vm_config *cfg)
{
	if (cfg->dump_only && !cfg->dump_dtb && !cfg->dump_acpi)
		return cli_fail(CMD, "--dump-only needs --dump-dtb or --dump-acpi");
	if (cfg->floor && !cfg->json)
		return cli_fail(CMD, "--floor needs --json, which it adds to");
	if (cfg->hz && cfg->lpj != LPJ_AUTO)
		return cli_fail(CMD, "--hz is for --lpj auto");
	if (cfg->exec && !cfg->kernel)
		return cli_fail(CMD, "--exec needs a Linux kernel (-k)");
	if (cfg->modules && !cfg->exec)
		return cli_fail(CMD, "--modules is for --exec");
	if (cfg->share_cwd == SHARE_CWD_ON && !cfg->exec)
		return cli_fail(CMD, "--share-cwd is for --exec");
	if (is_stdout(cfg->json) && is_stdout(cfg->timeline))
		return cli_fail(CMD, "--json and --timeline can't both go to stdout");
	return 0;
}

void run_options_complete(struct vm_config *cfg)
{
	if (cfg->fault_count && cfg->timeout_s == 0)
		cfg->timeout_s = FAULTY_TIMEOUT_S;
	if (is_stdout(cfg->json) || is_stdout(cfg->timeline)) {
		cfg->quiet = true;
		if (cfg->console.kind == CONSOLE_STDIO)
			cfg->console.kind = CONSOLE_NONE;
	}
}
