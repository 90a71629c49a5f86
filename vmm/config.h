/* SPDX-License-Identifier: MIT */
/* What `vpup run` was asked for: one VM, and what to write about its run. */
#ifndef VPUP_VMM_CONFIG_H
#define VPUP_VMM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/topology.h"

#define NOISE_SPECS_MAX 8
#define FAULTS_MAX      16
#define DISKS_MAX       4
#define SHARES_MAX      3 /* with that of --exec */

enum hyperv_mode { HYPERV_USER, HYPERV_KERNEL, HYPERV_OFF };
enum invtsc_mode { INVTSC_HOST, INVTSC_OFF, INVTSC_FORCE }; /* as the host has it, ... */
enum share_cwd { SHARE_CWD_AUTO, SHARE_CWD_ON, SHARE_CWD_OFF };
enum lpj_kind { LPJ_UNSET, LPJ_AUTO, LPJ_OFF, LPJ_NUMBER };
enum console_kind { CONSOLE_NONE, CONSOLE_STDIO, CONSOLE_PTY, CONSOLE_UNIX, CONSOLE_FILE };

struct console_config {
	enum console_kind kind;
	const char *path; /* CONSOLE_FILE, CONSOLE_UNIX */
};

/* Strings belong to whoever filled them in (argv, as a rule) and must outlive the run. */
struct vm_config {
	struct topology_config topology;
	uint64_t memory_bytes;
	const char *kernel;   /* path; NULL: the bundled guest */
	const char *initrd;   /* path or NULL */
	const char *exec;     /* shell command to run in the guest; NULL: none */
	const char *modules;  /* tree of kernel modules for --exec; NULL: none */
	const char *append;   /* kernel command line; "" if none */
	const char *firmware; /* seabios, qboot or a path; NULL: the kernel starts at once */
	enum hyperv_mode hyperv;
	const char *hv; /* list of Hyper-V features, applied to the default ones; NULL: none */
	enum invtsc_mode invtsc;
	bool nested;                        /* show SVM or VMX */
	const char *pin;                    /* host CPUs of the VPs' threads; NULL: any */
	const char *noise[NOISE_SPECS_MAX]; /* specifications of noise */
	unsigned noise_count;
	const char *fault[FAULTS_MAX]; /* specifications of faults */
	unsigned fault_count;
	const char *disk[DISKS_MAX]; /* "FILE" or "FILE,ro" */
	unsigned disk_count;
	const char *share[SHARES_MAX]; /* "DIR=TAG" or "DIR=TAG,ro" */
	unsigned share_count;
	enum share_cwd share_cwd; /* this directory, with --exec */
	char *cwd;                /* its path where it is the last share; NULL: it is not shared */
	const char *net;          /* "user[,...]" or "tap=IF"; NULL: no network */
	bool rng;                 /* a virtio entropy device */
	enum lpj_kind lpj;
	uint64_t lpj_number;           /* LPJ_NUMBER */
	uint32_t hz;                   /* of the guest kernel, for LPJ_AUTO; 0: to be found out */
	bool force;                    /* run Linux also where it is very slow */
	bool testdev;                  /* add what test kernels expect, and exit as they do */
	bool hv_testdev;               /* of that, the Hyper-V test device alone */
	struct console_config console; /* COM1 */
	struct console_config hvc; /* the virtio console; CONSOLE_NONE: there is no such device */
	const char *debugcon; /* file for what goes to the debug console; NULL: it is a trace */
	double timeout_s;     /* 0: none */
	double power_off_s;   /* when to press the power button; 0: never */
	const char *timeline; /* output paths, "-" for stdout where it makes sense; NULL: none */
	const char *json;
	const char *dump_dtb;
	const char *dump_acpi;
	bool dump_only; /* write the dumps and run nothing */
	bool counters;
	bool floor;   /* measure the least start-up too, for the result */
	bool hv_help; /* `--hv help`: print the table of features and end */
	bool quiet;   /* no summary line */
};

#endif
