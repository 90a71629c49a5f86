/* SPDX-License-Identifier: MIT */
/*
 * The machine: everything that one run consists of, and its life, one step after the other.
 */
#ifndef VPUP_VMM_MACHINE_H
#define VPUP_VMM_MACHINE_H

#include <stdatomic.h>

#include "hyperv/hv_feature.h"
#include "vmm/acpi.h"
#include "vmm/bus.h"
#include "vmm/config.h"
#include "vmm/console.h"
#include "vmm/cpuid.h"
#include "vmm/disk_file.h"
#include "vmm/err.h"
#include "vmm/exit.h"
#include "vmm/fault.h"
#include "vmm/firmware.h"
#include "vmm/frames.h"
#include "vmm/kvm.h"
#include "vmm/mem.h"
#include "vmm/noise.h"
#include "vmm/outcome.h"
#include "vmm/pin.h"
#include "vmm/run_record.h"
#include "vmm/share.h"
#include "vmm/topology.h"
#include "vmm/vp.h"

#define MACHINE_DEVICES_MAX 16

struct machine;

/* A device as the machine table sees it. State hangs off m->device[slot]. */
struct device_ops {
	const char *name;
	/* Claims ranges and returns the device's state in *state. -errno with e set on failure. */
	int (*init)(struct machine *m, void **state, struct err *e);
	/* Frees the state; NULL (init failed or never ran) is harmless. */
	void (*fini)(void *state);
};

struct firmware_boot;
struct fw_cfg;
struct hv_host;
struct hv_kernel;
struct hv_side;
struct power_dev;
struct net_backend;
struct uart_dev;

/*
 * Registers of the boot VP at its start; the others are 0. Without CR3 it starts in flat 32-bit
 * protected mode, with it in 64-bit mode on these page tables.
 */
struct boot_state {
	uint64_t rip, rax, rbx, rsi, cr3;
};

#define LPJ_NOTE_SIZE 256

struct machine {
	const struct vm_config *cfg;
	struct run_record *record;
	struct hv_features hv_features; /* what --hv asks for, checked */
	struct topology topology;
	struct pin pin;
	struct noise noise;
	struct faults faults;
	const char *append; /* the kernel's command line */
	struct kvm kvm;
	struct mem mem;
	struct bus pio;
	struct bus mmio;
	struct bus msr;
	struct exit_env exit_env;
	struct outcome outcome;
	struct console console;
	struct console hvc; /* of the virtio console */
	struct frame_reader frames;
	void *device[MACHINE_DEVICES_MAX];
	struct firmware firmware;
	struct firmware_boot *firmware_boot; /* what fw_cfg serves; owned */
	struct fw_cfg *fw_cfg;               /* NULL: there is none */
	struct disk_file disk[DISKS_MAX];
	struct share share[SHARES_MAX];
	struct net_backend *net;       /* NULL: none */
	unsigned virtio_slots;         /* in use, from the first one on */
	struct uart_dev *com1;         /* the device whose input is the console's */
	struct power_dev *power;       /* the device with the power button */
	const struct hv_side *hv_side; /* who serves Hyper-V; NULL without it */
	struct hv_host *hv;            /* user mode's state; NULL in others */
	struct hv_kernel *hv_kernel;   /* kernel mode's state; NULL in others */
	struct cpuid_set *cpuid;       /* what all VPs share; owned */
	struct vp *vp;                 /* [topology.vps], owned */
	struct boot_state boot;        /* where and how the boot VP starts */
	char lpj_note[LPJ_NOTE_SIZE];  /* where --lpj auto comes from; "": nothing to tell */
	atomic_bool input_ready;       /* --exec: the guest has a terminal for the input */
	pthread_mutex_t klog_lock;     /* over record->klog and these */
	struct klog_line console_line, kmsg_line;
	bool guest_is_linux;  /* known once the kernel is loaded */
	atomic_bool stopping; /* VPs must not enter the guest again */
};

/*
 * Checks and completes cfg, which must outlive m. Needs no /dev/kvm. Failure is the user's to mend;
 * after it and after success alike, m is valid for machine_fini().
 */
int machine_init(struct machine *m, const struct vm_config *cfg, struct run_record *record,
		 struct err *e);

/* Opens /dev/kvm. Failure is the host's. */
int machine_open(struct machine *m, struct err *e);

/* Are VP count and memory size within what this host has? Failure is the user's to mend. */
int machine_check_limits(struct machine *m, struct err *e);

/* Opens the console. Failure is the user's to mend. */
int machine_open_console(struct machine *m, struct err *e);

/* Opens what is behind the devices. Failure is the user's to mend. */
int machine_open_backends(struct machine *m, struct err *e);

/* Creates VM, memory and devices. Failure is the host's. */
int machine_create(struct machine *m, struct err *e);

/* Creates the VPs and sets them running. Failure is the host's. */
int machine_start(struct machine *m, struct err *e);

/* Stops all VPs and waits for their threads. */
void machine_stop(struct machine *m);

/* Takes what a Linux guest logs, of one of the sources above. Any thread. */
void machine_klog(struct machine *m, struct klog_line *source, const uint8_t *data, size_t size,
		  uint64_t tsc);

void machine_fini(struct machine *m);

#endif
