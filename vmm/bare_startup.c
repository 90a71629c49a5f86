/* SPDX-License-Identifier: MIT */
/* The least that it takes to bring VPs up: what no VMM on this KVM can do without. */
#include "vmm/bare_startup.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vmm/fd_limit.h"
#include "vmm/scratch_vm.h"
#include "vmm/tsc.h"
#include "vmm/vp.h"

#define BOOT_GPA         0x1000u
#define AP_GPA           0x8000u /* SIPI vector 8 */
#define COUNT_GPA        0x9000u
#define AP_COUNT_OFF     7u /* of the number to compare with, in ap_code */
#define DONE_PORT        0xf4
#define STACK_BYTES      (64 * 1024)
#define FILES_BESIDE_VPS 64
#define PATIENCE_S       60

/* Flat 32-bit mode: INIT, then SIPI, to all others through the local APIC's ICR; then HLT for ever. */
static const uint8_t boot_code[] = {
	0xc7, 0x05, 0x00, 0x03, 0xe0, 0xfe, 0x00, 0x45, 0x0c, 0x00, /* movl $0xc4500, 0xfee00300 */
	0xc7, 0x05, 0x00, 0x03, 0xe0, 0xfe, 0x08, 0x46, 0x0c, 0x00, /* movl $0xc4608, 0xfee00300 */
	0xfa, 0xf4, 0xeb, 0xfd,                                     /* cli; 1: hlt; jmp 1b */
};

/* With nobody to wait for. */
static const uint8_t alone_code[] = {0xe6, DONE_PORT}; /* outb %al, $DONE_PORT */

/* Real mode, data segment at 0. */
static const uint8_t ap_code[] = {
	0xf0, 0xff,      0x06, 0x00, 0x90,       /* lock incw COUNT_GPA */
	0x81, 0x3e,      0x00, 0x90, 0x00, 0x00, /* cmpw $others, COUNT_GPA */
	0x75, 0x02,                              /* jne 1f */
	0xe6, DONE_PORT,                         /* outb %al, $DONE_PORT */
	0xfa, 0xf4,      0xeb, 0xfd,             /* 1: cli; 2: hlt; jmp 2b */
};

struct bare_vp {
	struct bare_vm *vm;
	struct kvm_vp kvm;
	pthread_t thread;
	bool joinable;
};

struct bare_vm {
	struct kvm k;
	struct scratch_vm scratch; /* its VP is the boot VP */
	uint32_t vps;
	struct bare_vp *vp; /* [vps] */
	atomic_bool stopping;
	atomic_bool finished;
	sem_t finish; /* posted once */
	uint64_t entry_tsc;
	uint64_t finish_tsc;
	int ret; /* of the KVM_RUN that finished it, and its exit */
	uint32_t exit_reason;
};

static void *bare_vp_thread(void *arg)
{
	struct bare_vp *vp = arg;
	struct bare_vm *b = vp->vm;
	int ret;

	if (vp == b->vp)
		b->entry_tsc = tsc_now();
	do
		ret = kvm_vp_run(&vp->kvm);
	while ((ret == -EINTR || ret == -EAGAIN) && !atomic_load(&b->stopping));
	/* Two VPs may both have seen the full count, and one may be stopped: the first one counts. */
	if (!atomic_exchange(&b->finished, true)) {
		b->finish_tsc = tsc_now();
		b->ret = ret;
		b->exit_reason = vp->kvm.run->exit_reason;
		sem_post(&b->finish);
	}
	return NULL;
}

static int write_code(struct bare_vm *b)
{
	const uint16_t others = (uint16_t)(b->vps - 1);
	const struct mem *m = &b->scratch.mem;
	int ret;

	if (b->vps == 1)
		return mem_write(m, gpa(BOOT_GPA), alone_code, sizeof(alone_code));
	ret = mem_write(m, gpa(BOOT_GPA), boot_code, sizeof(boot_code));
	if (ret == 0)
		ret = mem_write(m, gpa(AP_GPA), ap_code, sizeof(ap_code));
	return ret ? ret : mem_write(m, gpa(AP_GPA + AP_COUNT_OFF), &others, sizeof(others));
}

static int set_boot_state(struct bare_vm *b, struct err *e)
{
	const struct kvm_regs r = {.rip = BOOT_GPA, .rflags = 2};
	struct kvm_sregs s;
	int ret = kvm_vp_get_sregs(&b->k, &b->vp[0].kvm, &s, e);

	if (ret)
		return ret;
	vp_set_protected_mode(&s);
	ret = kvm_vp_set_sregs(&b->k, &b->vp[0].kvm, &s, e);
	return ret ? ret : kvm_vp_set_regs(&b->k, &b->vp[0].kvm, &r, e);
}

/* APIC IDs are numbers from 0 on. Broadcasts reach those too that an xAPIC has no ID for. */
static int create_vps(struct bare_vm *b, struct err *e)
{
	int ret = 0;

	b->vp[0].kvm = b->scratch.vp;
	for (uint32_t i = 1; ret == 0 && i < b->vps; i++)
		ret = kvm_vp_create(&b->k, i, &b->vp[i].kvm, e);
	if (ret == 0)
		ret = write_code(b);
	return ret ? ret : set_boot_state(b, e);
}

static int start_threads(struct bare_vm *b, struct err *e)
{
	pthread_attr_t attr;
	int ret = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (uint32_t i = 0; ret == 0 && i < b->vps; i++) {
		ret = pthread_create(&b->vp[i].thread, &attr, bare_vp_thread, &b->vp[i]);
		b->vp[i].joinable = ret == 0;
	}
	pthread_attr_destroy(&attr);
	return ret ? err_set(e, ret, "can't start a VP's thread: %s", strerror(ret)) : 0;
}

static int wait_finish(struct bare_vm *b, struct err *e)
{
	struct timespec until;
	int ret;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	do
		ret = sem_timedwait(&b->finish, &until);
	while (ret && errno == EINTR);
	if (ret)
		return err_set(e, ETIMEDOUT, "the bare VM did not bring its %u VPs up", b->vps);
	if (b->ret || b->exit_reason != KVM_EXIT_IO)
		return err_set(e, EIO, "the bare VM left KVM with %d, exit reason %u", b->ret,
			       b->exit_reason);
	return 0;
}

static void stop(struct bare_vm *b)
{
	atomic_store(&b->stopping, true);
	for (uint32_t i = 0; i < b->vps; i++)
		if (b->vp[i].joinable)
			vp_kick_thread(&b->vp[i].kvm, b->vp[i].thread);
	for (uint32_t i = 0; i < b->vps; i++)
		if (b->vp[i].joinable)
			pthread_join(b->vp[i].thread, NULL);
}

static int run(struct bare_vm *b, struct bare_startup *out, struct err *e)
{
	uint64_t start_tsc = tsc_now();
	int ret = kvm_open(&b->k, e);

	if (ret == 0)
		ret = scratch_vm_init(&b->scratch, &b->k, e);
	if (ret == 0)
		ret = create_vps(b, e);
	if (ret == 0)
		ret = start_threads(b, e);
	if (ret == 0)
		ret = wait_finish(b, e);
	stop(b);
	if (ret == 0)
		*out = (struct bare_startup){
			.entry_cycles = b->entry_tsc - start_tsc,
			.online_cycles = b->finish_tsc - start_tsc,
		};
	return ret;
}

int bare_startup_measure(struct bare_startup *out, uint32_t vps, struct err *e)
{
	struct bare_vm b = {
		.k = {.fd = -1, .vm_fd = -1},
		.scratch = {.vp = {.fd = -1}},
		.vps = vps,
		.vp = calloc(vps, sizeof(*b.vp)),
	};
	int ret;

	if (!b.vp)
		return err_set(e, ENOMEM, "out of memory for %u VPs", vps);
	for (uint32_t i = 0; i < vps; i++)
		b.vp[i] = (struct bare_vp){.vm = &b, .kvm = {.fd = -1}};
	sem_init(&b.finish, 0, 0);
	/* The run's own VPs may be open still. */
	ret = fd_limit_raise(2ull * vps + FILES_BESIDE_VPS, e);
	if (ret == 0)
		ret = run(&b, out, e);
	for (uint32_t i = 1; i < vps; i++)
		kvm_vp_close(&b.k, &b.vp[i].kvm);
	scratch_vm_fini(&b.scratch);
	kvm_close(&b.k);
	sem_destroy(&b.finish);
	free(b.vp);
	return ret;
}
