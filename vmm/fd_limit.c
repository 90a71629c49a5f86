/* SPDX-License-Identifier: MIT */
/* How many files the process may have open: each VP is one, and a default soft limit is 1024. */
#include "vmm/fd_limit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

int fd_limit_raise(uint64_t files, struct err *e)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= files)
		return 0;
	if (limit.rlim_max < files)
		return err_set(e, EMFILE,
			       "%ju open files are needed, %ju are allowed: raise 'ulimit -n'",
			       (uintmax_t)files, (uintmax_t)limit.rlim_max);
	limit.rlim_cur = files;
	return setrlimit(RLIMIT_NOFILE, &limit)
		       ? err_set(e, errno, "can't raise the limit of open files: %s",
				 strerror(errno))
		       : 0;
}
