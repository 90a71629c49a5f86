/* SPDX-License-Identifier: MIT */
/* The directory in which vpup was started, as a share. */
#include "vmm/exec_share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest-kernel/abi/init.h"
#include "vmm/share.h"

/* Why this host can't, or NULL. */
static const char *obstacle(const char *cwd)
{
	if (!cwd)
		return "its name can't be told";
	if (strcmp(cwd, "/") == 0)
		return "it is the root directory";
	if (!share_daemon())
		return "there is no virtiofsd (" SHARE_PACKAGES ")";
	if (geteuid())
		return "virtiofsd needs root";
	return NULL;
}

int exec_share_add(struct vm_config *cfg, struct err *e)
{
	char *cwd, *spec;
	const char *why;

	if (!cfg->exec || cfg->share_cwd == SHARE_CWD_OFF)
		return 0;
	cwd = getcwd(NULL, 0);
	why = obstacle(cwd);
	if (!why && asprintf(&spec, "%s=" INIT_CWD_TAG ",ro", cwd) < 0)
		why = "out of memory";
	if (why) {
		free(cwd);
		err_set(e, ENOENT, "this directory can't be shared with the command: %s", why);
		return cfg->share_cwd == SHARE_CWD_ON ? -ENOENT : 1;
	}
	cfg->cwd = cwd;
	cfg->share[cfg->share_count++] = spec;
	return 0;
}

void exec_share_fini(struct vm_config *cfg)
{
	if (!cfg->cwd)
		return;
	free((char *)cfg->share[cfg->share_count - 1]);
	free(cfg->cwd);
	cfg->cwd = NULL;
}
