/* SPDX-License-Identifier: MIT */
/* What `vpup run --exec` and the /init of its initramfs agree on. */
#ifndef VPUP_ABI_INIT_H
#define VPUP_ABI_INIT_H

/* Kernel modules, to be loaded in the order of their names. */
#define INIT_MODULES_DIR "/.vpup/modules"

/* The command, for `sh -c`. */
#define INIT_COMMAND_FILE "/.vpup/command"

/* Is a person at the terminal (0 or 1), its rows and columns (0: not known), libslirp's network (0 or 1), $TERM. */
#define INIT_OPTIONS_FILE   "/.vpup/options"
#define INIT_OPTIONS_FORMAT "%d %d %d %d %.31s"
#define INIT_OPTIONS_SCAN   "%d %d %d %d %31s"

/* Of the kernel's log the helper hands on the lines with one of these: an exit for each byte is dear. */
#define INIT_LOG_WORDS                                                                   \
	{                                                                                \
		"secondary CPUs", "SMP configuration", "Brought up ", "as init process", \
			"BogoMIPS"                                                       \
	}

/* The path of the host's directory that is shared with the command, if one is, and its tag. */
#define INIT_CWD_FILE "/.vpup/cwd"
#define INIT_CWD_TAG  "vpup.cwd"

#endif
