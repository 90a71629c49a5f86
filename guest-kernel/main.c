/* SPDX-License-Identifier: MIT */
/* The boot VP's way from entry.S to the end of the run. */
#include "guest-kernel/ap.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"
#include "guest-kernel/stand_in.h"
#include "guest-kernel/start_vp.h"
#include "guest-kernel/trap.h"

struct kernel kernel;

/* All VPs that the firmware tables name, each with its memory. */
static void find_vps(void)
{
	struct kernel *k = &kernel;

	tables_find(&k->tables, &k->boot, k->options.tables);
	memory_init(&k->memory, &k->boot.ram, &k->boot.taken);
	k->smp.boot_apic_id = apic_read_id(&k->apic);
	vp_table_init(&k->vp_table, &k->memory, k->smp.boot_apic_id,
		      k->apic.x2apic ? APIC_ID_LIMIT : XAPIC_ID_MAX);
	tables_read_vps(&k->tables, &k->vp_table);
	if (k->options.lpj == TRACE_LPJ_KNOWN || stand_in_any())
		topology_find(&k->topology, &k->vp_table);
	vp_table_finish(&k->vp_table, &k->memory);
	ap_boot = (struct ap_boot){.vps = k->vp_table.vps, .x2apic = k->apic.x2apic};
	frames_init(&k->frames, &k->memory, k->vp_table.count);
	if (k->options.synic != TRACE_SYNIC_OFF)
		synic_prepare(&k->synic, &k->memory, k->vp_table.count);
}

static const char *lpj_origin(bool measured)
{
	if (measured)
		return "calibrated";
	return kernel.options.lpj == TRACE_LPJ_GIVEN ? "given" : "from tsc";
}

static void find_clock(void)
{
	struct kernel *k = &kernel;

	clock_init(&k->clock, &k->hypervisor, &k->apic);
	k->console.tsc_khz = k->clock.tsc_khz;
	k->lpj_reference = k->clock.tsc_khz * 1000 / k->options.hz;
	k->lpj = k->options.lpj == TRACE_LPJ_GIVEN ? k->options.lpj_given : k->lpj_reference;
	if (k->options.lpj == TRACE_LPJ_KNOWN)
		k->clock.invariant_tsc = clock_tsc_is_invariant();
	console_info("tsc: %lu.%03lu MHz from %s", k->clock.tsc_khz / 1000, k->clock.tsc_khz % 1000,
		     clock_source_name(&k->clock));
}

static void identify_hypervisor(void)
{
	struct hypervisor *h = &kernel.hypervisor;

	if (kernel.options.test)
		conf_prepare(&kernel.conf);
	hypervisor_init(h);
	if (h->kind != TRACE_HV_NONE)
		console_info("Hypervisor detected: %s", hypervisor_name(h));
}

/* Loops per jiffy in the unit that Linux prints, times 100. */
static uint64_t bogomips_x100(uint64_t lpj)
{
	return lpj * kernel.options.hz / 5000;
}

/* The boot VP takes the steps that ap_main() takes for the others. */
static void bring_up_boot_vp(void)
{
	struct kernel *k = &kernel;
	struct vp *vp = k->vp_table.vps;
	bool measures = ap_calibrate_measures(vp);
	uint64_t mips;

	vp_mark_at(vp, TRACE_VP_START, k->console.entry_tsc);
	vp_load_tables(vp);
	vp_mark(vp, TRACE_VP_INIT);
	vp->hv_vp_index = hypervisor_vp_index(&k->hypervisor);
	if (measures) {
		tick_start(&k->tick, &k->apic, k->clock.apic_timer_hz, k->options.hz);
		cpu_sti();
	}
	ap_calibrate(vp);
	cpu_cli();
	vp_mark(vp, TRACE_VP_ONLINE);
	if (vp->lpj == 0)
		fail("the timer tick does not come");
	mips = bogomips_x100(vp->lpj);
	console_info("lpj=%lu (%s), %lu.%02lu BogoMIPS", vp->lpj, lpj_origin(measures), mips / 100,
		     mips % 100);
}

static void summarise(void)
{
	const struct vp_table *t = &kernel.vp_table;
	uint64_t lpj = 0, mips;
	uint32_t i;

	if (kernel.console.quiet)
		return;
	for (i = 0; i < t->count; i++)
		lpj += t->vps[i].lpj;
	mips = bogomips_x100(lpj);
	console_info("smp: Total of %u CPUs activated (%lu.%02lu BogoMIPS), %lu ticks", t->count,
		     mips / 100, mips % 100, tick_jiffies(&kernel.tick));
}

static _Noreturn void bring_up_others(void)
{
	struct kernel *k = &kernel;
	uint32_t nodes = vp_table_nodes(&k->vp_table), cpus = k->vp_table.count;
	bool ok;

	if (stand_in_any())
		stand_in_announce();
	console_info("smp: Bringing up secondary CPUs ...");
	ok = smp_bring_up();
	if (ok)
		console_line("smp: Brought up %u node%s, %u CPU%s", nodes, nodes == 1 ? "" : "s",
			     cpus, cpus == 1 ? "" : "s");
	else
		smp_report_missing();
	if (ok && k->options.synic != TRACE_SYNIC_OFF)
		ok = synic_set_up_all(&k->synic);
	if (k->options.checks)
		ok = checks_run(&k->checks) && ok;
	tick_stop(&k->tick, &k->apic);
	if (ok)
		summarise();
	if (k->options.measure == OPTION_MEASURE_EXITS && !k->options.checks)
		measure_exits(&k->measure);
	frames_send(&k->frames);
	guest_exit(ok ? GUEST_EXIT_OK : GUEST_EXIT_FAIL);
}

_Noreturn void kmain(uint64_t start_info, uint64_t entry_tsc)
{
	struct kernel *k = &kernel;

	k->console.entry_tsc = entry_tsc;
	cpu_lidt(&idtr);
	pvh_read(&k->boot, start_info);
	options_parse(&k->options, k->boot.cmdline);
	k->console.quiet = k->options.quiet;
	console_info("vpup guest");
	if (k->options.unknown)
		console_info("%u unknown options ignored, first: %s", k->options.unknown_count,
			     k->options.unknown);
	apic_init(&k->apic);
	identify_hypervisor();
	find_clock();
	find_vps();
	if (k->options.smp == TRACE_SMP_HVCALL)
		start_vp_prepare();
	bring_up_boot_vp();
	if (k->options.test)
		conf_run(&k->conf);
	bring_up_others();
}
