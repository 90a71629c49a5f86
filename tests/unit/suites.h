/* SPDX-License-Identifier: MIT */
/* All suites of the unit tests. Each is defined in tests/unit/test_NAME.c. */
#ifndef VPUP_TESTS_UNIT_SUITES_H
#define VPUP_TESTS_UNIT_SUITES_H

#include <check.h>

#define SUITES_X(X)       \
	X(acpi)           \
	X(acpi_aml)       \
	X(acpi_power)     \
	X(bus)            \
	X(bzimage)        \
	X(bzimage_info)   \
	X(claim)          \
	X(cli)            \
	X(compare)        \
	X(compare_power)  \
	X(condition)      \
	X(conf_diff)      \
	X(console_keys)   \
	X(costs)          \
	X(cpuid)          \
	X(debugcon)       \
	X(disk_file)      \
	X(elf)            \
	X(elf_segment)    \
	X(err)            \
	X(exit)           \
	X(exitport)       \
	X(fault)          \
	X(fdt)            \
	X(file_kind)      \
	X(finding)        \
	X(frames)         \
	X(fwcfg)          \
	X(hostfwd)        \
	X(hostinfo)       \
	X(hv_call)        \
	X(hv_cpuid)       \
	X(hv_feature)     \
	X(hv_hypercall)   \
	X(hv_kernel)      \
	X(hv_msr)         \
	X(hv_overlay)     \
	X(hv_port)        \
	X(hv_stimer)      \
	X(hv_synic)       \
	X(hv_testdev)     \
	X(hv_time)        \
	X(hv_timer)       \
	X(i8042)          \
	X(id_list)        \
	X(initramfs)      \
	X(kernel_hz)      \
	X(klog)           \
	X(lab_apt)        \
	X(lab_cache)      \
	X(lab_frame)      \
	X(lab_needs)      \
	X(lab_timeline)   \
	X(lab_words)      \
	X(matrix)         \
	X(mem)            \
	X(metrics)        \
	X(multiboot)      \
	X(multiboot_info) \
	X(noise)          \
	X(numa)           \
	X(outfile)        \
	X(peer)           \
	X(pin)            \
	X(plot)           \
	X(predict_fit)    \
	X(predict_model)  \
	X(progress)       \
	X(pvh)            \
	X(ranktest)       \
	X(report)         \
	X(result)         \
	X(rtc)            \
	X(runner)         \
	X(scenario)       \
	X(session)        \
	X(spec)           \
	X(startup)        \
	X(stats)          \
	X(summary)        \
	X(table)          \
	X(tap)            \
	X(testdev)        \
	X(timeline)       \
	X(topology)       \
	X(uart)           \
	X(uart_irq)       \
	X(vhost_user)     \
	X(virtio_blk)     \
	X(virtio_mmio)    \
	X(virtio_net)     \
	X(virtq)

#define SUITE_PROTOTYPE(name) Suite *name##_suite(void);
SUITES_X(SUITE_PROTOTYPE)
#undef SUITE_PROTOTYPE

#endif
