/* SPDX-License-Identifier: MIT */
/* The engines and their command lines. */
#include "lab/engine.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/frame.h"
#include "vmm/qemu.h"

#define ARGS_MAX 64

/* A command line that is put together word by word. */
struct args {
	char *word[ARGS_MAX];
	size_t count;
	bool failed;
};

static void add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (a->count == ARGS_MAX || vasprintf(&a->word[a->count], fmt, ap) < 0)
		a->failed = true;
	else
		a->count++;
	va_end(ap);
}

/* One block: the list, and the strings behind it. */
static char **finish(struct args *a)
{
	size_t bytes = (a->count + 1) * sizeof(char *);
	char **argv, *at;

	for (size_t i = 0; i < a->count; i++)
		bytes += strlen(a->word[i]) + 1;
	argv = a->failed ? NULL : malloc(bytes);
	at = argv ? (char *)(argv + a->count + 1) : NULL;
	for (size_t i = 0; i < a->count; i++) {
		if (argv) {
			argv[i] = at;
			at = stpcpy(at, a->word[i]) + 1;
		}
		free(a->word[i]);
	}
	if (argv)
		argv[a->count] = NULL;
	return argv;
}

static void add_qemu_devices(struct args *a)
{
	add(a, "-chardev");
	add(a, "file,id=log,path=/proc/self/fd/%d", ENGINE_FD_LOG);
	add(a, "-serial");
	add(a, "chardev:log");
	add(a, "-chardev");
	add(a, "file,id=channel,path=/proc/self/fd/%d", ENGINE_FD_CHANNEL);
	add(a, "-device");
	add(a, "isa-debugcon,iobase=%#x,chardev=channel", FRAME_PORT);
}

static char **qemu(const struct engine *engine, const struct engine_config *c, const char *accel,
		   const char *cpu)
{
	struct args a = {.count = 0};

	add(&a, "%s", engine->program);
	add(&a, "-accel");
	add(&a, "%s", accel);
	add(&a, "-cpu");
	add(&a, "%s", cpu);
	add(&a, "-machine");
	add(&a, "q35,usb=off,sata=off,smbus=off");
	add(&a, "-smp");
	add(&a, "%u", c->cpus);
	add(&a, "-m");
	add(&a, "%" PRIu64 "M", c->memory_bytes >> 20);
	add(&a, "-nodefaults");
	add(&a, "-no-user-config");
	add(&a, "-display");
	add(&a, "none");
	add(&a, "-no-reboot");
	add_qemu_devices(&a);
	add(&a, "-kernel");
	add(&a, "/proc/self/fd/%d", ENGINE_FD_KERNEL);
	add(&a, "-initrd");
	add(&a, "/proc/self/fd/%d", ENGINE_FD_INITRD);
	add(&a, "-append");
	add(&a, "%s", c->append);
	return finish(&a);
}

/*
 * EPYC is a CPU with SVM; what TCG lacks of it, QEMU leaves out by itself. Not so what guests of L1 met double and
 * triple faults with, under QEMU 7.2, and did not without: CMPXCHG16B, which Linux uses for each small allocation, and
 * nested paging. XSAVE tells of its areas what makes a nested Linux dump them all.
 */
static char **qemu_tcg(const struct engine *engine, const struct engine_config *c)
{
	return qemu(engine, c, "tcg,thread=multi", "EPYC,+svm,-npt,-xsave,-cx16");
}

static char **qemu_kvm(const struct engine *engine, const struct engine_config *c)
{
	return qemu(engine, c, "kvm", "host");
}

static char **vpup(const struct engine *engine, const struct engine_config *c)
{
	struct args a = {.count = 0};

	(void)engine;
	add(&a, "vpup");
	add(&a, "run");
	add(&a, "--nested");
	add(&a, "on");
	add(&a, "--hyperv");
	add(&a, "%s", c->hyperv);
	add(&a, "--quiet");
	add(&a, "--console");
	add(&a, "file=/proc/self/fd/%d", ENGINE_FD_LOG);
	add(&a, "--debugcon");
	add(&a, "/proc/self/fd/%d", ENGINE_FD_CHANNEL);
	add(&a, "--cpus");
	add(&a, "%u,sockets=1", c->cpus);
	add(&a, "--memory");
	add(&a, "%" PRIu64, c->memory_bytes);
	add(&a, "--kernel");
	add(&a, "/proc/self/fd/%d", ENGINE_FD_KERNEL);
	add(&a, "--initrd");
	add(&a, "/proc/self/fd/%d", ENGINE_FD_INITRD);
	add(&a, "--append");
	add(&a, "%s", c->append);
	return finish(&a);
}

static const struct engine engines[] = {
	{"qemu-tcg", QEMU_PROGRAM, QEMU_PACKAGE, qemu_tcg},
	{"qemu-kvm", QEMU_PROGRAM, QEMU_PACKAGE, qemu_kvm},
	{"vpup", NULL, NULL, vpup},
};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

const struct engine *engine_find(const char *name, struct err *e)
{
	for (size_t i = 0; i < ENGINES; i++)
		if (strcmp(engines[i].name, name) == 0)
			return &engines[i];
	err_set(e, EINVAL, "--engine: '%s' is not qemu-tcg, qemu-kvm or vpup", name);
	return NULL;
}

/* 1 ECX[5] VMX (SDM 2A, CPUID). */
static bool cpu_is_vmx(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & 1u << 5;
}

/* The module says Y or 1, depending on its age. */
static bool kvm_nests(void)
{
	static const char *const parameters[] = {"/sys/module/kvm_amd/parameters/nested",
						 "/sys/module/kvm_intel/parameters/nested"};
	char answer = 'N';

	if (access("/dev/kvm", R_OK | W_OK))
		return false;
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		int fd = open(parameters[i], O_RDONLY | O_CLOEXEC);

		if (fd >= 0 && read(fd, &answer, 1) != 1)
			answer = 'N';
		if (fd >= 0)
			close(fd);
	}
	return answer == 'Y' || answer == '1';
}

const struct engine *engine_default(void)
{
	return kvm_nests() ? &engines[1] : &engines[0];
}

const char *engine_kvm_module(const struct engine *engine)
{
	return engine->argv != qemu_tcg && cpu_is_vmx() ? "kvm_intel" : "kvm_amd";
}
