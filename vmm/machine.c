/* SPDX-License-Identifier: MIT */
/* The machine: its table of devices, and its life from configuration to the last VP's end. */
#include "vmm/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmm/fd_limit.h"
#include "vmm/firmware_boot.h"
#include "vmm/glue.h"
#include "vmm/hv_host.h"
#include "vmm/hv_kernel.h"
#include "vmm/hv_side.h"
#include "vmm/hv_timer.h"
#include "vmm/layout.h"
#include "vmm/net_backend.h"
#include "vmm/tsc.h"

#define HYPERVISOR_LEAVES_MAX 32
#define FILES_BESIDE_VPS      (64 + HV_TIMER_SHARDS_MAX) /* KVM's, events, what the user names */

/* The whole machine on one screen. In-kernel: PIC, I/O APIC, local APICs, PIT (vmm/kvm.c). */
static const struct device_ops *const machine_table[] = {
	&uart_device,       /* 0x3f8-0x3ff, IRQ 4: serial console */
	&debugcon_device,   /* 0xe9: trace frames */
	&exitport_device,   /* 0xf4: end of the run */
	&i8042_device,      /* 0x60, 0x64: reset */
	&rtc_device,        /* 0x70-0x71: time of day */
	&measure_device,    /* --json: 0xfa: bare exits, for measure=exits */
	&power_device,      /* 0x600-0x602, IRQ 9: ACPI sleep registers, power button */
	&virtio_device,     /* pages from 0xfeb00000, IRQ 16-23: disks, shares, net, entropy */
	&testdev_device,    /* --testdev: 0xe0-0xeb, 0x2000-0x2017, memory at 0xff000000 */
	&fw_cfg_device,     /* --testdev, --firmware: 0x510-0x51b */
	&hv_testdev_device, /* and --hv-testdev: 0x3000; before Hyper-V, whose ports are in it */
	&hv_device,         /* MSRs 0x40000000-0x40000fff, port 0xfc: Hyper-V */
	&hv_kernel_device,  /* the same MSRs, which KVM then keeps to itself: Hyper-V */
};

#define MACHINE_DEVICES (sizeof(machine_table) / sizeof(machine_table[0]))
_Static_assert(MACHINE_DEVICES <= MACHINE_DEVICES_MAX, "room for every device");

static int check_memory(const struct vm_config *cfg, struct err *e)
{
	uint64_t size = cfg->memory_bytes;

	if (size < LAYOUT_RAM_MIN)
		return err_set(e, EINVAL,
			       "memory of %" PRIu64 " bytes is too small: at least %llu M", size,
			       LAYOUT_RAM_MIN >> 20);
	if (size % 4096)
		return err_set(e, EINVAL, "memory of %" PRIu64 " bytes is not a multiple of 4 KiB",
			       size);
	return 0;
}

int machine_init(struct machine *m, const struct vm_config *cfg, struct run_record *record,
		 struct err *e)
{
	int ret;

	memset(m, 0, sizeof(*m));
	m->cfg = cfg;
	m->record = record;
	m->kvm = (struct kvm){.fd = -1, .vm_fd = -1};
	m->console = (struct console){
		.in_fd = -1, .out_fd = -1, .timer_fd = -1, .listen_fd = -1, .hold_fd = -1};
	m->hvc = m->console;
	pthread_mutex_init(&m->klog_lock, NULL);
	for (unsigned i = 0; i < DISKS_MAX; i++)
		m->disk[i].fd = -1;
	bus_init(&m->pio, BUS_PIO);
	bus_init(&m->mmio, BUS_MMIO);
	bus_init(&m->msr, BUS_MSR);
	m->exit_env = (struct exit_env){.pio = &m->pio,
					.mmio = &m->mmio,
					.msr = &m->msr,
					.outcome = &m->outcome};
	frame_reader_init(&m->frames, &record->guest);
	ret = outcome_init(&m->outcome, e);
	if (ret == 0)
		ret = check_memory(cfg, e);
	if (ret == 0 && cfg->hyperv == HYPERV_OFF && cfg->hv)
		return err_set(e, EINVAL, "--hv needs --hyperv user or kernel");
	if (ret == 0)
		ret = hv_side_features(cfg, &m->hv_features, e);
	if (ret == 0)
		ret = topology_init(&m->topology, &cfg->topology, e);
	if (ret == 0)
		ret = pin_init(&m->pin, cfg->pin, m->topology.vps, e);
	if (ret == 0)
		ret = noise_init(&m->noise, cfg, m->topology.vps, e);
	if (ret == 0)
		ret = faults_init(&m->faults, cfg, &m->topology, e);
	m->append = m->faults.append ? m->faults.append : cfg->append;
	return ret;
}

int machine_open(struct machine *m, struct err *e)
{
	int ret = kvm_open(&m->kvm, e);

	m->record->opened_tsc = tsc_now();
	return ret;
}

int machine_check_limits(struct machine *m, struct err *e)
{
	uint64_t host_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	int max_vps = kvm_capability(&m->kvm, KVM_CAP_MAX_VCPUS);
	int max_ids = kvm_capability(&m->kvm, KVM_CAP_MAX_VCPU_ID);

	if (max_vps > 0 && m->topology.vps > (unsigned)max_vps)
		return err_set(e, EINVAL, "-c %u: this host's KVM runs at most %d VPs in a VM",
			       m->topology.vps, max_vps);
	if (max_ids > 0 && m->topology.max_apic_id >= (unsigned)max_ids)
		return err_set(e, EINVAL,
			       "-c: this topology needs APIC IDs up to %u; this host's KVM takes "
			       "them below %d",
			       m->topology.max_apic_id, max_ids);
	if (m->cfg->memory_bytes > host_bytes)
		return err_set(e, EINVAL,
			       "-m: %" PRIu64 " MiB are more than this host's %" PRIu64 " MiB",
			       m->cfg->memory_bytes >> 20, host_bytes >> 20);
	return 0;
}

int machine_open_console(struct machine *m, struct err *e)
{
	int ret = console_init(&m->console, m->cfg, &m->outcome, e);

	return ret ? ret : console_init_other(&m->hvc, &m->cfg->hvc, &m->outcome, e);
}

int machine_open_backends(struct machine *m, struct err *e)
{
	int ret = 0;

	if (m->cfg->firmware)
		ret = firmware_open(&m->firmware, m->cfg->firmware, e);
	for (unsigned i = 0; ret == 0 && i < m->cfg->disk_count; i++)
		ret = disk_file_open(&m->disk[i], m->cfg->disk[i], e);
	for (unsigned i = 0; ret == 0 && i < m->cfg->share_count; i++)
		ret = share_open(&m->share[i], m->cfg->share[i], e);
	if (ret == 0 && m->cfg->net)
		ret = net_backend_open(&m->net, m->cfg->net, e);
	return ret;
}

static int create_memory(struct machine *m, struct err *e)
{
	int ret = m->cfg->share_count ? mem_init_shared(&m->mem, m->cfg->memory_bytes, e)
				      : mem_init(&m->mem, m->cfg->memory_bytes, e);

	for (unsigned i = 0; ret == 0 && i < m->mem.region_count; i++) {
		const struct mem_region *r = &m->mem.region[i];

		ret = kvm_set_memory(&m->kvm, i, r->base, r->size_bytes, r->host, e);
	}
	if (ret == 0 && m->firmware.image)
		ret = firmware_map(&m->firmware, &m->kvm, m->mem.region_count, &m->mem, e);
	return ret;
}

/* Goes on after a conflict of addresses, so that bus_seal() fails once all of them are told. */
static int create_devices(struct machine *m, struct err *e)
{
	int ret;

	for (size_t i = 0; i < MACHINE_DEVICES; i++) {
		ret = machine_table[i]->init(m, &m->device[i], e);
		if (ret && ret != -EEXIST)
			return ret;
	}
	ret = bus_seal(&m->pio, m->topology.vps, e);
	if (ret == 0)
		ret = bus_seal(&m->mmio, m->topology.vps, e);
	return ret ? ret : bus_seal(&m->msr, m->topology.vps, e);
}

static int allocate_vps(struct machine *m, struct err *e)
{
	size_t size = m->topology.vps * sizeof(*m->vp);

	m->vp = aligned_alloc(_Alignof(struct vp), size);
	if (!m->vp)
		return err_set(e, ENOMEM, "out of memory for %u VPs", m->topology.vps);
	memset(m->vp, 0, size);
	for (uint32_t i = 0; i < m->topology.vps; i++) {
		m->vp[i].m = m;
		m->vp[i].index = i;
		m->vp[i].kvm.fd = -1;
	}
	return 0;
}

int machine_create(struct machine *m, struct err *e)
{
	int ret = fd_limit_raise(m->topology.vps + FILES_BESIDE_VPS, e);

	if (ret == 0)
		ret = kvm_create_vm(&m->kvm, e);
	m->record->vm_tsc = tsc_now();
	/* Memory first: after the interrupt controllers, KVM makes it wait for a grace period. */
	if (ret == 0)
		ret = create_memory(m, e);
	m->record->memory_tsc = tsc_now();
	if (ret == 0)
		ret = kvm_create_irqchip(&m->kvm, m->topology.max_apic_id > 254,
					 !faults_find(&m->faults, FAULT_NO_PIT), e);
	if (ret == 0)
		ret = kvm_tsc_khz(&m->kvm, &m->record->tsc_khz, e);
	m->record->vm_created_tsc = tsc_now();
	if (ret == 0)
		ret = allocate_vps(m, e);
	if (ret == 0)
		ret = create_devices(m, e);
	m->record->devices_tsc = tsc_now();
	return ret;
}

static int create_cpuid(struct machine *m, struct err *e)
{
	struct kvm_cpuid_entry2 hypervisor[HYPERVISOR_LEAVES_MAX];
	struct cpuid_set host;
	struct cpuid_config c = {
		.invtsc = m->cfg->invtsc != INVTSC_OFF,
		.force_invtsc = m->cfg->invtsc == INVTSC_FORCE,
		.nested = m->cfg->nested,
		.tsc_deadline = kvm_capability(&m->kvm, KVM_CAP_TSC_DEADLINE_TIMER) > 0,
	};
	int ret = kvm_supported_cpuid(&m->kvm, &host, e);

	if (ret)
		return ret;
	if (c.nested && !cpuid_can_nest(&host))
		return err_set(e, ENOTSUP,
			       "--nested on: this KVM offers its guests neither SVM nor VMX; "
			       "kvm_amd and kvm_intel do with nested=1");
	c.hypervisor = hypervisor;
	c.hypervisor_count = m->hv_side
				     ? m->hv_side->cpuid(m, hypervisor, HYPERVISOR_LEAVES_MAX)
				     : cpuid_kvm_leaves(&host, hypervisor, HYPERVISOR_LEAVES_MAX);
	m->cpuid = malloc(sizeof(*m->cpuid));
	if (!m->cpuid)
		return err_set(e, ENOMEM, "out of memory");
	ret = cpuid_template(m->cpuid, &host, &m->topology, &c, e);
	m->record->invtsc = ret == 0 && cpuid_shows_invtsc(m->cpuid);
	return ret;
}

static int create_vps(struct machine *m, struct err *e)
{
	for (uint32_t i = 0; i < m->topology.vps; i++) {
		struct vp *vp = &m->vp[i];
		int ret = kvm_vp_create(&m->kvm, m->topology.vp[i].apic_id, &vp->kvm, e);

		if (ret)
			return ret;
		vp->times.created_tsc = tsc_now();
	}
	m->record->vps_created_tsc = tsc_now();
	return 0;
}

int machine_start(struct machine *m, struct err *e)
{
	int ret = create_cpuid(m, e);

	if (ret == 0)
		ret = create_vps(m, e);
	if (ret == 0 && m->hv_side && m->hv_side->ready)
		ret = m->hv_side->ready(m, e);
	if (ret == 0)
		ret = vp_setup_kick(e);
	if (ret == 0)
		ret = faults_skew_tsc(m, e);
	if (ret == 0)
		ret = noise_start(m, e);
	/* INIT and SIPI that reach a VP before its thread does are kept for it by KVM. */
	for (uint32_t i = 0; ret == 0 && i < m->topology.vps; i++)
		ret = vp_start(&m->vp[i], e);
	return ret;
}

void machine_klog(struct machine *m, struct klog_line *source, const uint8_t *data, size_t size,
		  uint64_t tsc)
{
	pthread_mutex_lock(&m->klog_lock);
	klog_push(&m->record->klog, source, data, size, tsc);
	pthread_mutex_unlock(&m->klog_lock);
}

void machine_stop(struct machine *m)
{
	if (!m->vp)
		return;
	m->record->neighbour_ns = noise_stop(&m->noise);
	atomic_store(&m->stopping, true);
	for (uint32_t i = 0; i < m->topology.vps; i++)
		vp_kick(&m->vp[i]);
	for (uint32_t i = 0; i < m->topology.vps; i++)
		vp_join(&m->vp[i]);
}

void machine_fini(struct machine *m)
{
	machine_stop(m);
	for (size_t i = MACHINE_DEVICES; i-- > 0;)
		machine_table[i]->fini(m->device[i]);
	firmware_boot_free(m->firmware_boot);
	firmware_close(&m->firmware);
	for (unsigned i = 0; i < DISKS_MAX; i++)
		disk_file_close(&m->disk[i]);
	for (unsigned i = 0; i < SHARES_MAX; i++)
		share_close(&m->share[i]);
	if (m->net)
		m->net->ops->close(m->net);
	console_fini(&m->console);
	console_fini(&m->hvc);
	for (uint32_t i = 0; m->vp && i < m->topology.vps; i++)
		kvm_vp_close(&m->kvm, &m->vp[i].kvm);
	free(m->vp);
	free(m->cpuid);
	bus_fini(&m->pio);
	bus_fini(&m->mmio);
	bus_fini(&m->msr);
	kvm_close(&m->kvm);
	mem_fini(&m->mem);
	faults_fini(&m->faults);
	noise_fini(&m->noise);
	pin_fini(&m->pin);
	topology_fini(&m->topology);
	frame_reader_fini(&m->frames);
	outcome_fini(&m->outcome);
	pthread_mutex_destroy(&m->klog_lock);
}
