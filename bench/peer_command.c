/* SPDX-License-Identifier: MIT */
/* The command that starts a VM by vpup or by QEMU. */
#include "bench/peer_command.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/qemu.h"

#define MICROVM "microvm,pit=off,pic=off,rtc=off,isa-serial=on"

int peer_command_check(const struct vm_config *cfg, struct err *e)
{
	if (cfg->topology.nodes <= 1 && cfg->hyperv == HYPERV_USER && cfg->invtsc != INVTSC_FORCE &&
	    !cfg->firmware && !cfg->hv && !cfg->nested && !cfg->pin && !cfg->noise_count &&
	    !cfg->fault_count && !cfg->disk_count && !cfg->share_count && !cfg->net && !cfg->rng &&
	    !cfg->testdev && !cfg->hv_testdev && cfg->hvc.kind == CONSOLE_NONE)
		return 0;
	return err_set(e, ENOTSUP,
		       "of run's options there are --cpus, --memory, --kernel, --initrd, --exec, "
		       "--modules, --append, --lpj, --hz and --invtsc");
}

static int __attribute__((format(printf, 2, 3))) add(struct peer_command *c, const char *fmt, ...)
{
	size_t n = 0;
	va_list ap;

	while (c->argv[n])
		n++;
	assert(n + 1 < PEER_COMMAND_ARGS);
	va_start(ap, fmt);
	if (vasprintf(&c->argv[n], fmt, ap) < 0)
		c->argv[n] = NULL;
	va_end(ap);
	return c->argv[n] ? 0 : -ENOMEM;
}

/* Splits at blanks: for words that are the same in every command. */
static int add_words(struct peer_command *c, const char *words)
{
	int ret = 0;

	while (ret == 0 && *words) {
		size_t length = strcspn(words, " ");

		ret = add(c, "%.*s", (int)length, words);
		words += length + strspn(words + length, " ");
	}
	return ret;
}

/* Both write a topology alike. */
static int add_cpus(struct peer_command *c, const char *option, const struct topology_config *t)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%" PRIu32, t->vps);

	if (t->sockets)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",sockets=%" PRIu32, t->sockets);
	if (t->cores)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",cores=%" PRIu32, t->cores);
	if (t->threads)
		snprintf(text + n, sizeof(text) - (size_t)n, ",threads=%" PRIu32, t->threads);
	return add_words(c, option) || add(c, "%s", text) ? -ENOMEM : 0;
}

/* Kernel, command line and initrd, by the names that their options have. */
static int add_guest(struct peer_command *c, const struct peer_guest *g, const char *kernel,
		     const char *append, const char *initrd)
{
	if (add_words(c, kernel) || add(c, "%s", g->kernel) || add_words(c, append) ||
	    add(c, "%s", g->cmdline))
		return -ENOMEM;
	if (g->initrd_fd < 0)
		return 0;
	return add_words(c, initrd) || add(c, "/proc/self/fd/%d", g->initrd_fd) ? -ENOMEM : 0;
}

int peer_command_vpup(struct peer_command *c, const struct peer_vm *vm)
{
	*c = (struct peer_command){.exe = "/proc/self/exe"};
	if (add_words(c, "vpup run --quiet --memory") ||
	    add(c, "%" PRIu64, vm->cfg->memory_bytes) ||
	    add_cpus(c, "--cpus", &vm->cfg->topology) ||
	    add_words(c, vm->cfg->invtsc == INVTSC_OFF ? "--invtsc off" : "--invtsc on") ||
	    add_guest(c, vm->guest, "--kernel", "--append", "--initrd"))
		return -ENOMEM;
	if (!vm->debugcon)
		return 0;
	return add_words(c, "--debugcon") || add(c, "%s", vm->debugcon) ? -ENOMEM : 0;
}

int peer_command_qemu(struct peer_command *c, const struct peer_vm *vm)
{
	*c = (struct peer_command){.exe = QEMU_PROGRAM};
	if (add_words(c, QEMU_PROGRAM " -M " MICROVM " -accel kvm -nodefaults -no-user-config "
				      "-no-reboot -display none -serial stdio -m") ||
	    add(c, "%" PRIu64 "b", vm->cfg->memory_bytes) ||
	    add_cpus(c, "-smp", &vm->cfg->topology) || add_words(c, "-cpu") ||
	    add(c, vm->is_emulated ? "qemu64" : "host,migratable=off,invtsc=%s",
		vm->cfg->invtsc == INVTSC_OFF ? "off" : "on") ||
	    add_guest(c, vm->guest, "-kernel", "-append", "-initrd"))
		return -ENOMEM;
	if (!vm->debugcon)
		return 0;
	if (add_words(c, "-device isa-debugcon,iobase=0xe9,chardev=debugcon -chardev"))
		return -ENOMEM;
	return add(c, "file,id=debugcon,path=%s", vm->debugcon);
}

void peer_command_fini(struct peer_command *c)
{
	for (size_t i = 0; c->argv[i]; i++)
		free(c->argv[i]);
	*c = (struct peer_command){.exe = NULL};
}
