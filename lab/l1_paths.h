/* SPDX-License-Identifier: MIT */
/* Where things stand in L1's file system. */
#ifndef VPUP_LAB_L1_PATHS_H
#define VPUP_LAB_L1_PATHS_H

#define L1_DIR     "/lab"      /* vpup, and what it looks for beside itself */
#define L1_ROOT    "/lab/root" /* / once more, as a mount of its own */
#define L1_VPUP    "/lab/vpup" /* also L1's init */
#define L1_MODULES "/lab/modules"
#define L1_ORDER   "/lab/modules/order" /* their files, in the order in which to load them */
#define L1_JOB     "/lab/job.json"      /* "argv", "cwd", "paths": see lab/job.h */
#define L1_CACHE   "/lab/cache"         /* XDG_CACHE_HOME */
#define L1_INIT    "lab-init"           /* the command of vpup that is L1's init */

#endif
