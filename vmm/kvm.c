/* SPDX-License-Identifier: MIT */
/* The KVM API: every ioctl of vpup, each with its name in the error. */
#include "vmm/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm/layout.h"

#define MSR_BITMAP_MAX_BYTES 0x600 /* KVM_MSR_FILTER_MAX_BITMAP_SIZE, in the kernel's words */

static bool fault_hit(struct kvm *k, const char *request)
{
	return k->fault.request[0] && strcmp(k->fault.request, request) == 0 &&
	       __atomic_add_fetch(&k->fault.seen, 1, __ATOMIC_RELAXED) == k->fault.nth;
}

static int call(struct kvm *k, int fd, unsigned long request, const char *name, unsigned long arg,
		struct err *e)
{
	int ret;

	if (fault_hit(k, name)) {
		errno = ENOMEM;
		ret = -1;
	} else {
		ret = ioctl(fd, request, arg);
	}
	if (ret < 0)
		return err_set(e, errno, "%s failed: %s", name, strerror(errno));
	return ret;
}

#define KVM_CALL(k, fd, request, arg, e) call(k, fd, request, #request, (unsigned long)(arg), e)

static void fault_plan(struct kvm_fault *f)
{
	const char *plan = getenv("VPUP_FAULT");
	size_t len;

	if (!plan)
		return;
	len = strcspn(plan, ":");
	if (len >= sizeof(f->request))
		return;
	memcpy(f->request, plan, len);
	f->nth = plan[len] ? strtoul(plan + len + 1, NULL, 10) : 1;
}

int kvm_open(struct kvm *k, struct err *e)
{
	int version;

	*k = (struct kvm){.fd = -1, .vm_fd = -1};
	fault_plan(&k->fault);
	k->fd = open(KVM_DEVICE, O_RDWR | O_CLOEXEC);
	if (k->fd < 0 && errno == ENOENT)
		return err_set(e, ENOENT,
			       KVM_DEVICE " is missing: load kvm_intel or kvm_amd, or "
					  "turn virtualization on");
	if (k->fd < 0 && errno == EACCES)
		return err_set(e, EACCES,
			       "no permission to open " KVM_DEVICE ": add your user to "
			       "its group (kvm)");
	if (k->fd < 0)
		return err_set(e, errno, "can't open " KVM_DEVICE ": %s", strerror(errno));
	version = KVM_CALL(k, k->fd, KVM_GET_API_VERSION, 0, e);
	if (version < 0)
		return version;
	if (version != KVM_API_VERSION)
		return err_set(e, ENOSYS, "KVM API version is %d, needed is %d", version,
			       KVM_API_VERSION);
	return 0;
}

void kvm_close(struct kvm *k)
{
	if (k->vm_fd >= 0)
		close(k->vm_fd);
	if (k->fd >= 0)
		close(k->fd);
	k->vm_fd = -1;
	k->fd = -1;
}

int kvm_capability(struct kvm *k, unsigned capability)
{
	int ret = KVM_CALL(k, k->vm_fd >= 0 ? k->vm_fd : k->fd, KVM_CHECK_EXTENSION, capability,
			   NULL);

	return ret < 0 ? 0 : ret;
}

int kvm_create_vm(struct kvm *k, struct err *e)
{
	int ret = KVM_CALL(k, k->fd, KVM_GET_VCPU_MMAP_SIZE, 0, e);

	if (ret < 0)
		return ret;
	k->run_size_bytes = (size_t)ret;
	ret = KVM_CALL(k, k->fd, KVM_CREATE_VM, 0, e);
	if (ret < 0)
		return ret;
	k->vm_fd = ret;
	return 0;
}

static int enable_cap(struct kvm *k, uint32_t capability, uint64_t arg, struct err *e)
{
	struct kvm_enable_cap cap = {.cap = capability, .args = {arg}};

	return KVM_CALL(k, k->vm_fd, KVM_ENABLE_CAP, &cap, e);
}

int kvm_create_irqchip(struct kvm *k, bool need_x2apic_ids, bool pit, struct err *e)
{
	const struct kvm_pit_config pit_config = {.flags = KVM_PIT_SPEAKER_DUMMY};
	const uint64_t identity_map = LAYOUT_KVM_IDENTITY;
	int ret = 0;

	if (need_x2apic_ids)
		ret = enable_cap(k, KVM_CAP_X2APIC_API,
				 KVM_X2APIC_API_USE_32BIT_IDS |
					 KVM_X2APIC_API_DISABLE_BROADCAST_QUIRK,
				 e);
	if (ret >= 0)
		ret = KVM_CALL(k, k->vm_fd, KVM_SET_IDENTITY_MAP_ADDR, &identity_map, e);
	if (ret >= 0)
		ret = KVM_CALL(k, k->vm_fd, KVM_SET_TSS_ADDR, LAYOUT_KVM_TSS, e);
	if (ret >= 0)
		ret = KVM_CALL(k, k->vm_fd, KVM_CREATE_IRQCHIP, 0, e);
	if (ret >= 0 && pit)
		ret = KVM_CALL(k, k->vm_fd, KVM_CREATE_PIT2, &pit_config, e);
	return ret < 0 ? ret : 0;
}

static int set_pic_vector(struct kvm *k, uint32_t pic, uint8_t vector, struct err *e)
{
	struct kvm_irqchip chip = {.chip_id = pic};
	int ret = KVM_CALL(k, k->vm_fd, KVM_GET_IRQCHIP, &chip, e);

	if (ret)
		return ret;
	chip.chip.pic.irq_base = vector;
	return KVM_CALL(k, k->vm_fd, KVM_SET_IRQCHIP, &chip, e);
}

int kvm_set_pic_vectors(struct kvm *k, uint8_t master, uint8_t slave, struct err *e)
{
	int ret = set_pic_vector(k, KVM_IRQCHIP_PIC_MASTER, master, e);

	return ret ? ret : set_pic_vector(k, KVM_IRQCHIP_PIC_SLAVE, slave, e);
}

int kvm_enable_user_msrs(struct kvm *k, struct err *e)
{
	int ret = enable_cap(k, KVM_CAP_X86_USER_SPACE_MSR,
			     KVM_MSR_EXIT_REASON_UNKNOWN | KVM_MSR_EXIT_REASON_FILTER, e);

	return ret < 0 ? ret : 0;
}

int kvm_deny_msrs(struct kvm *k, uint32_t first, uint32_t count, struct err *e)
{
	uint8_t denied[MSR_BITMAP_MAX_BYTES] = {0}; /* a clear bit denies */
	struct kvm_msr_filter filter = {
		.flags = KVM_MSR_FILTER_DEFAULT_ALLOW,
		.ranges = {{
			.flags = KVM_MSR_FILTER_READ | KVM_MSR_FILTER_WRITE,
			.base = first,
			.nmsrs = count,
			.bitmap = denied,
		}},
	};
	int ret;

	if (count % 8 || count / 8 > sizeof(denied))
		return err_set(e, EINVAL, "MSR range of %u can't be filtered", count);
	ret = KVM_CALL(k, k->vm_fd, KVM_X86_SET_MSR_FILTER, &filter, e);
	return ret < 0 ? ret : 0;
}

static int set_memory(struct kvm *k, uint32_t slot, uint32_t flags, gpa_t base, uint64_t size_bytes,
		      void *host, struct err *e)
{
	struct kvm_userspace_memory_region r = {
		.slot = slot,
		.flags = flags,
		.guest_phys_addr = base.v,
		.memory_size = size_bytes,
		.userspace_addr = (uintptr_t)host,
	};

	return KVM_CALL(k, k->vm_fd, KVM_SET_USER_MEMORY_REGION, &r, e);
}

int kvm_set_memory(struct kvm *k, uint32_t slot, gpa_t base, uint64_t size_bytes, void *host,
		   struct err *e)
{
	return set_memory(k, slot, 0, base, size_bytes, host, e);
}

int kvm_set_rom(struct kvm *k, uint32_t slot, gpa_t base, uint64_t size_bytes, void *host,
		struct err *e)
{
	return set_memory(k, slot, KVM_MEM_READONLY, base, size_bytes, host, e);
}

int kvm_supported_cpuid(struct kvm *k, struct cpuid_set *out, struct err *e)
{
	_Static_assert(offsetof(struct cpuid_set, entry) == offsetof(struct kvm_cpuid2, entries),
		       "struct cpuid_set is a struct kvm_cpuid2 with room");
	int ret;

	out->nent = CPUID_MAX_ENTRIES;
	ret = KVM_CALL(k, k->fd, KVM_GET_SUPPORTED_CPUID, out, e);
	return ret < 0 ? ret : 0;
}

int kvm_supported_hv_cpuid(struct kvm *k, struct cpuid_set *out, struct err *e)
{
	int ret;

	out->nent = CPUID_MAX_ENTRIES;
	ret = KVM_CALL(k, k->fd, KVM_GET_SUPPORTED_HV_CPUID, out, e);
	return ret < 0 ? ret : 0;
}

int kvm_tsc_khz(struct kvm *k, uint64_t *khz, struct err *e)
{
	int ret = KVM_CALL(k, k->vm_fd, KVM_GET_TSC_KHZ, 0, e);

	if (ret < 0)
		return ret;
	if (ret == 0)
		return err_set(e, ENOTSUP, "KVM does not know this host's TSC frequency");
	*khz = (uint64_t)ret;
	return 0;
}

int kvm_set_irq(struct kvm *k, uint32_t gsi, bool level, struct err *e)
{
	const struct kvm_irq_level irq = {.irq = gsi, .level = level};

	return KVM_CALL(k, k->vm_fd, KVM_IRQ_LINE, &irq, e);
}

int kvm_interrupt(struct kvm *k, uint32_t apic_id, uint8_t vector, struct err *e)
{
	const struct kvm_msi msi = {
		.address_lo = (uint32_t)LAYOUT_LAPIC | (apic_id & 0xff) << 12,
		.address_hi = apic_id & 0xffffff00,
		.data = vector,
	};
	int ret = KVM_CALL(k, k->vm_fd, KVM_SIGNAL_MSI, &msi, e);

	return ret < 0 ? ret : 0;
}

int kvm_set_routes(struct kvm *k, const struct kvm_irq_routing *table, struct err *e)
{
	return KVM_CALL(k, k->vm_fd, KVM_SET_GSI_ROUTING, table, e);
}

int kvm_set_irqfd(struct kvm *k, uint32_t gsi, int fd, int resample_fd, struct err *e)
{
	const struct kvm_irqfd irqfd = {
		.fd = (uint32_t)fd,
		.gsi = gsi,
		.flags = resample_fd < 0 ? 0 : KVM_IRQFD_FLAG_RESAMPLE,
		.resamplefd = resample_fd < 0 ? 0 : (uint32_t)resample_fd,
	};

	return KVM_CALL(k, k->vm_fd, KVM_IRQFD, &irqfd, e);
}

int kvm_set_hyperv_eventfd(struct kvm *k, uint32_t connection_id, int fd, struct err *e)
{
	const struct kvm_hyperv_eventfd eventfd = {
		.conn_id = connection_id,
		.fd = fd,
		.flags = fd < 0 ? KVM_HYPERV_EVENTFD_DEASSIGN : 0,
	};

	return KVM_CALL(k, k->vm_fd, KVM_HYPERV_EVENTFD, &eventfd, e);
}

int kvm_ioeventfd(struct kvm *k, int fd, uint64_t addr, uint32_t val, struct err *e)
{
	const struct kvm_ioeventfd event = {
		.datamatch = val,
		.addr = addr,
		.len = sizeof(val),
		.fd = fd,
		.flags = KVM_IOEVENTFD_FLAG_DATAMATCH,
	};

	return KVM_CALL(k, k->vm_fd, KVM_IOEVENTFD, &event, e);
}

int kvm_vp_create(struct kvm *k, uint32_t apic_id, struct kvm_vp *vp, struct err *e)
{
	void *run;
	int ret;

	*vp = (struct kvm_vp){.fd = -1};
	ret = KVM_CALL(k, k->vm_fd, KVM_CREATE_VCPU, apic_id, e);
	if (ret < 0)
		return ret;
	vp->fd = ret;
	run = mmap(NULL, k->run_size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, vp->fd, 0);
	if (run == MAP_FAILED)
		return err_set(e, errno, "can't map the run area of APIC ID %u: %s", apic_id,
			       strerror(errno));
	vp->run = run;
	return 0;
}

void kvm_vp_close(const struct kvm *k, struct kvm_vp *vp)
{
	if (vp->run)
		munmap(vp->run, k->run_size_bytes);
	if (vp->fd >= 0)
		close(vp->fd);
	*vp = (struct kvm_vp){.fd = -1};
}

int kvm_vp_set_cpuid(struct kvm *k, const struct kvm_vp *vp, const struct cpuid_set *set,
		     struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_SET_CPUID2, set, e);
}

int kvm_vp_get_sregs(struct kvm *k, const struct kvm_vp *vp, struct kvm_sregs *s, struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_GET_SREGS, s, e);
}

int kvm_vp_set_sregs(struct kvm *k, const struct kvm_vp *vp, const struct kvm_sregs *s,
		     struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_SET_SREGS, s, e);
}

int kvm_vp_get_regs(struct kvm *k, const struct kvm_vp *vp, struct kvm_regs *r, struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_GET_REGS, r, e);
}

int kvm_vp_set_regs(struct kvm *k, const struct kvm_vp *vp, const struct kvm_regs *r, struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_SET_REGS, r, e);
}

int kvm_vp_get_events(struct kvm *k, const struct kvm_vp *vp, struct kvm_vcpu_events *v,
		      struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_GET_VCPU_EVENTS, v, e);
}

int kvm_vp_set_events(struct kvm *k, const struct kvm_vp *vp, const struct kvm_vcpu_events *v,
		      struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_SET_VCPU_EVENTS, v, e);
}

int kvm_vp_get_mp_state(struct kvm *k, const struct kvm_vp *vp, uint32_t *state, struct err *e)
{
	struct kvm_mp_state s;
	int ret = KVM_CALL(k, vp->fd, KVM_GET_MP_STATE, &s, e);

	if (ret == 0)
		*state = s.mp_state;
	return ret;
}

int kvm_vp_set_mp_state(struct kvm *k, const struct kvm_vp *vp, uint32_t state, struct err *e)
{
	const struct kvm_mp_state s = {.mp_state = state};

	return KVM_CALL(k, vp->fd, KVM_SET_MP_STATE, &s, e);
}

int kvm_vp_get_lapic(struct kvm *k, const struct kvm_vp *vp, struct kvm_lapic_state *l,
		     struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_GET_LAPIC, l, e);
}

int kvm_vp_get_fpu(struct kvm *k, const struct kvm_vp *vp, struct kvm_fpu *f, struct err *e)
{
	return KVM_CALL(k, vp->fd, KVM_GET_FPU, f, e);
}

/* KVM's list of MSRs, with room for one. */
union one_msr {
	struct kvm_msrs list;
	uint8_t room[sizeof(struct kvm_msrs) + sizeof(struct kvm_msr_entry)];
};

int kvm_vp_get_msr(struct kvm *k, const struct kvm_vp *vp, uint32_t msr, uint64_t *val,
		   struct err *e)
{
	union one_msr get = {.list = {.nmsrs = 1}};
	int ret;

	get.list.entries[0].index = msr;
	ret = KVM_CALL(k, vp->fd, KVM_GET_MSRS, &get, e);
	if (ret == 0)
		return err_set(e, EINVAL, "KVM_GET_MSRS refused MSR %#x", msr);
	*val = get.list.entries[0].data;
	return ret < 0 ? ret : 0;
}

int kvm_vp_set_msr(struct kvm *k, const struct kvm_vp *vp, uint32_t msr, uint64_t val,
		   struct err *e)
{
	union one_msr set = {.list = {.nmsrs = 1}};
	int ret;

	set.list.entries[0] = (struct kvm_msr_entry){.index = msr, .data = val};
	ret = KVM_CALL(k, vp->fd, KVM_SET_MSRS, &set, e);
	if (ret == 0)
		return err_set(e, EINVAL, "KVM_SET_MSRS refused MSR %#x", msr);
	return ret < 0 ? ret : 0;
}

int kvm_vp_enable_cap(struct kvm *k, const struct kvm_vp *vp, uint32_t capability, uint64_t arg,
		      struct err *e)
{
	const struct kvm_enable_cap cap = {.cap = capability, .args = {arg}};
	int ret = KVM_CALL(k, vp->fd, KVM_ENABLE_CAP, &cap, e);

	return ret < 0 ? ret : 0;
}

static struct kvm_device_attr tsc_offset_attr(uint64_t *offset)
{
	return (struct kvm_device_attr){
		.group = KVM_VCPU_TSC_CTRL,
		.attr = KVM_VCPU_TSC_OFFSET,
		.addr = (uintptr_t)offset,
	};
}

int kvm_vp_tsc_offset(struct kvm *k, const struct kvm_vp *vp, uint64_t *offset)
{
	struct kvm_device_attr attr = tsc_offset_attr(offset);

	return KVM_CALL(k, vp->fd, KVM_GET_DEVICE_ATTR, &attr, NULL);
}

int kvm_vp_add_tsc_offset(struct kvm *k, const struct kvm_vp *vp, int64_t cycles, struct err *e)
{
	uint64_t offset, want;
	struct kvm_device_attr attr = tsc_offset_attr(&offset);
	int ret = KVM_CALL(k, vp->fd, KVM_GET_DEVICE_ATTR, &attr, e);

	if (ret)
		return ret;
	want = offset + (uint64_t)cycles;
	offset = want;
	ret = KVM_CALL(k, vp->fd, KVM_SET_DEVICE_ATTR, &attr, e);
	if (ret == 0)
		ret = KVM_CALL(k, vp->fd, KVM_GET_DEVICE_ATTR, &attr, e);
	if (ret == 0 && offset != want)
		return err_set(e, ENOTSUP,
			       "this host's KVM takes a TSC offset and ignores it "
			       "(KVM_VCPU_TSC_OFFSET): it runs all VPs on the host's TSC");
	return ret;
}

int kvm_vp_run(const struct kvm_vp *vp)
{
	return ioctl(vp->fd, KVM_RUN, 0) < 0 ? -errno : 0;
}
