# SPDX-License-Identifier: MIT
# Builds vpup and its guest, and runs their tests. `make help` lists the targets; V=1 shows commands.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
CC      ?= gcc
OBJCOPY ?= objcopy
OPT     ?= -O2
DEBUG   ?= -g
SANITIZE ?=
FUZZ_SECONDS ?= 20

WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wimplicit-fallthrough \
	-Wvla -Werror
HOST_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(OPT) $(DEBUG) $(WARN) -I. -pthread $(SANITIZE)
HOST_LIBS   := -lfdt -ljansson -lm
GUEST_CFLAGS := -std=gnu11 $(OPT) $(DEBUG) $(WARN) -I. -march=x86-64 -mgeneral-regs-only \
	-ffreestanding -nostdlib -fno-pic -fno-pie -mno-red-zone -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fcf-protection=none
GUEST_LDFLAGS := -nostdlib -static -Wl,--build-id=none -Wl,-z,max-page-size=0x1000 \
	-Wl,-z,noexecstack -Wl,--orphan-handling=error -Wl,--fatal-warnings

MAKEFLAGS += -j$(shell nproc) --no-print-directory

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

# --- what vpup is made of ---------------------------------------------------------------------

DEVICES_SRC := acpi_power.c debugcon.c exitport.c fw_cfg.c hv_testdev.c i8042.c pc_testdev.c \
	rtc.c uart.c \
	$(addprefix virtio/,blk.c console.c fs.c mmio.c net.c queue.c rng.c)

HYPERV_SRC := hv_call.c hv_call_table.c hv_calls.c hv_cpuid.c hv_crash.c hv_feature.c \
	hv_feature_table.c hv_hypercall_page.c hv_msr.c hv_overlay.c hv_partition.c hv_port.c \
	hv_slot.c hv_stimer.c hv_synic.c hv_time.c hv_vp_registers.c

VMM_SRC := acpi.c acpi_aml.c acpi_dsdt.c acpi_dump.c archive_lib.c bare_exit.c bare_startup.c \
	bus.c bzimage.c bzimage_info.c cache_dir.c child_process.c cli.c cmd_doctor.c cmd_run.c cmdline.c \
	console.c console_keys.c console_open.c counters.c cpio.c cpuid.c disk_file.c doctor_parts.c \
	doctor_say.c elf.c \
	elf_file.c err.c exec_share.c exit.c fault.c fault_vp.c fd_limit.c fdt.c file.c \
	file_kind.c finding.c firmware.c firmware_boot.c firmware_tables.c frames.c glue.c \
	glue_acpi.c glue_disk.c glue_fw_cfg.c glue_hvc.c glue_hv_testdev.c glue_measure.c glue_net.c \
	glue_pc.c glue_share.c glue_testdev.c glue_uart.c glue_virtio.c guest_modules.c \
	guest_view.c hints.c hold.c host_caps.c host_cpus.c hostfwd.c hostinfo.c hv_auto_eoi.c \
	hv_host.c hv_host_ops.c hv_kernel.c hv_kernel_port.c hv_kernel_route.c hv_kernel_synic.c \
	hv_side.c hv_start_vp.c hv_timer.c id_list.c initramfs.c initrd.c kernel_hz.c \
	kernel_modules.c kernel_study.c klog.c kvm.c library.c linux_image.c load.c load_plan.c \
	machine.c mem.c memmap.c metrics.c metrics_costs.c metrics_linux.c metrics_startup.c \
	mips.c multiboot.c multiboot_info.c neighbour.c net_backend.c net_tap.c net_user.c \
	noise.c numa.c outcome.c outfile.c pin.c program_files.c pvh.c quantile.c result.c \
	result_read.c rss.c run_loop.c run_option.c run_option_args.c run_option_checks.c run_options.c run_record.c scratch_vm.c share.c \
	slow_host.c spec.c steal.c steal_thread.c terminal.c timeline.c topology.c unpack.c \
	vhost_user.c virtio_slot.c vp.c

BENCH_SRC := bench_judge.c bench_options.c cell_runs.c cell_view.c claim.c claim_read.c \
	cmd_bench.c cmd_compare.c cmd_conformance.c cmd_decode.c cmd_peer.c cmd_predict.c cmd_report.c \
	compare.c compare_json.c compare_print.c condition.c conf.c conformance_diff.c \
	conformance_result.c conformance_run.c dimension.c groups.c host_diff.c host_facts.c \
	judge.c matrix.c metric_kind.c pairing.c peer.c peer_command.c peer_guest.c plan.c plot.c predict_claims.c predict_fit.c predict_json.c \
	predict_model.c predict_options.c predict_print.c predict_read.c predict_rows.c progress.c ranktest.c report_csv.c \
	report_data.c report_html.c report_trace.c result_file.c runner.c scenario.c \
	scenario_read.c scenario_words.c session.c stats.c stop.c summary.c table.c tap.c \
	term_style.c terminal.c terminal_claims.c terminal_table.c terminal_words.c time_heap.c \
	vp_spans.c wrap.c

# bench/scenarios/NAME.scenario: built in, and listed in this order.
SCENARIOS := lpj numa-lpj noisy-neighbour parallel-smp smp-sweep stages synic exits startup \
	startup-peers linux-lpj linux-numa linux-parallel linux-noise linux-peers

LAB_SRC := apt_sources.c buffer.c cache.c channel.c cmd_lab.c digest.c engine.c fetch.c files.c \
	frame.c held_vm.c image.c init.c job.c l1_kernel.c lab_options.c levels.c libs.c needs.c \
	received.c rig.c rig_child.c spawn.c store.c timeline_merge.c words.c

CONFORMANCE_SRC := assist.c bad_input.c call.c conf.c connection.c cpuid.c crash.c echo.c \
	flush.c hypercall.c ipi.c message.c msr.c overlay.c post.c privilege.c run.c signal.c \
	small_calls.c start_vp.c stimer.c synic.c synic_vp.c time.c tsc_invariant.c \
	vp_registers.c call_page.S started_vp.S

GUEST_SRC := acpi.c ap.c apic.c calibrate.c checks.c checks_stimer.c clock.c console.c fdt.c \
	frames.c hypervisor.c main.c measure.c measure_ipi.c measure_synic.c memory.c options.c \
	pit.c pvh.c shutdown.c smp.c stand_in.c start_vp.c string.c synic.c tables.c text.c \
	tick.c topology.c trap.c vp.c ap_entry.S entry.S traps.S \
	$(addprefix conformance/,$(CONFORMANCE_SRC))

UNIT_SRC := bzimage_fixture.c elf_fixture.c fake_child.c fake_hv_host.c main.c run_fixture.c \
	test_acpi.c test_acpi_aml.c test_acpi_power.c test_bus.c test_bzimage.c \
	test_bzimage_info.c test_claim.c test_cli.c test_compare.c test_compare_power.c \
	test_condition.c test_conf_diff.c test_console_keys.c test_costs.c test_cpuid.c \
	test_debugcon.c test_disk_file.c test_elf.c test_elf_segment.c test_err.c test_exit.c \
	test_exitport.c test_fault.c test_fdt.c test_file_kind.c test_finding.c test_frames.c \
	test_fwcfg.c test_hostfwd.c test_hostinfo.c test_hv_call.c test_hv_cpuid.c \
	test_hv_feature.c test_hv_hypercall.c test_hv_kernel.c test_hv_msr.c test_hv_overlay.c \
	test_hv_port.c test_hv_stimer.c test_hv_synic.c test_hv_testdev.c test_hv_time.c \
	test_hv_timer.c test_i8042.c test_id_list.c test_initramfs.c test_kernel_hz.c \
	test_klog.c test_lab_apt.c test_lab_cache.c test_lab_frame.c test_lab_needs.c \
	test_lab_timeline.c test_lab_words.c test_matrix.c test_mem.c test_metrics.c \
	test_multiboot.c test_multiboot_info.c test_noise.c test_numa.c test_outfile.c test_peer.c \
	test_pin.c test_plot.c test_predict_fit.c test_predict_model.c test_progress.c \
	test_pvh.c test_ranktest.c test_report.c test_result.c test_rtc.c test_runner.c \
	test_scenario.c test_session.c test_spec.c test_startup.c test_stats.c test_summary.c \
	test_table.c test_tap.c test_testdev.c test_timeline.c test_topology.c test_uart.c \
	test_uart_irq.c test_vhost_user.c test_virtio_blk.c test_virtio_mmio.c test_virtio_net.c \
	test_virtq.c uart_peer.c virtio_driver.c

FUZZERS := fw_cfg hv load virtio

LIB_OBJ := $(DEVICES_SRC:%.c=$(BUILD)/devices/%.o) $(HYPERV_SRC:%.c=$(BUILD)/hyperv/%.o) \
	$(VMM_SRC:%.c=$(BUILD)/vmm/%.o) $(BENCH_SRC:%.c=$(BUILD)/bench/%.o) \
	$(BUILD)/bench/scenario_files.o $(LAB_SRC:%.c=$(BUILD)/lab/%.o)
MAIN_OBJ := $(BUILD)/vmm/main.o
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/tests/unit/%.o)
GUEST_OBJ := $(patsubst %,$(BUILD)/guest-kernel/%.o,$(basename $(GUEST_SRC)))

# --- targets ----------------------------------------------------------------------------------

.PHONY: all demo check check-unit check-kvm check-lab check-compare check-layers check-format \
	check-builds check-sanitizers fuzz install uninstall clean help deps-build deps-check
.DELETE_ON_ERROR:

all: $(BUILD)/vpup $(BUILD)/vpup-guest.elf $(BUILD)/vpup-init

help:
	@echo 'make all             build/vpup and build/vpup-guest.elf'
	@echo 'make demo            what a preset lpj is worth, measured on this machine'
	@echo 'make check           the tests, with ASan and fuzzing, in under 5 minutes'
	@echo 'make check-unit      unit tests (no /dev/kvm)'
	@echo 'make check-kvm       whole-VM tests'
	@echo 'make check-lab       tests in the nested lab'
	@echo 'make check-compare   false alarms and misses of vpup bench --against, live (minutes)'
	@echo 'make check-layers    who may include whom'
	@echo 'make check-format    clang-format'
	@echo 'make check-builds    gcc and clang, -O0 and -O2'
	@echo 'make check-sanitizers  unit tests under ASan, UBSan, TSan and valgrind'
	@echo 'make fuzz            hostile input for $(FUZZERS), FUZZ_SECONDS=$(FUZZ_SECONDS) in sum'
	@echo 'make install         to $$(DESTDIR)$$(PREFIX), now $(DESTDIR)$(PREFIX)'
	@echo 'make uninstall, make clean'

# What is missing is installed first, on Debian and Ubuntu; elsewhere it is named.
deps-build:
	$(Q)scripts/deps.sh build

deps-check:
	$(Q)scripts/deps.sh check

demo: all
	$(Q)scripts/demo.sh $(BUILD)/vpup

RUN_TESTS = BUILD=$(BUILD) VPUP=$(abspath $(BUILD)/vpup) GUEST=$(abspath $(BUILD)/vpup-guest.elf) \
	tests/run

check: deps-check all $(BUILD)/unit-tests
	$(Q)$(RUN_TESTS) check

check-unit: deps-check $(BUILD)/unit-tests
	$(Q)$(RUN_TESTS) unit

check-kvm: deps-check all
	$(Q)$(RUN_TESTS) guest

check-lab: deps-check all $(BUILD)/net-loop
	$(Q)$(RUN_TESTS) lab

check-compare: deps-check all
	$(Q)SCRIPT_TIMEOUT=900 $(RUN_TESTS) compare

check-layers:
	$(Q)$(RUN_TESTS) layers

check-format: deps-check
	$(Q)$(RUN_TESTS) format

check-builds: deps-check
	$(Q)$(RUN_TESTS) builds

check-sanitizers: deps-check $(BUILD)/unit-tests
	$(Q)$(RUN_TESTS) sanitizers

# One after the other, each for its share of the time. What they find interesting is kept in build/
# and starts the next run.
fuzz: $(FUZZERS:%=$(BUILD)/fuzz-%)
	$(Q)for f in $(FUZZERS); do \
		mkdir -p $(BUILD)/fuzz-corpus/$$f && \
		$(BUILD)/fuzz-$$f -max_total_time=$$(($(FUZZ_SECONDS) / $(words $(FUZZERS)))) \
			-max_len=1024 -timeout=10 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$(BUILD)/ $(BUILD)/fuzz-corpus/$$f || exit 1; \
	done

install: all
	install -D -m 755 $(BUILD)/vpup $(DESTDIR)$(PREFIX)/bin/vpup
	install -D -m 644 $(BUILD)/vpup-guest.elf $(DESTDIR)$(PREFIX)/lib/vpup/vpup-guest.elf
	install -D -m 755 $(BUILD)/vpup-init $(DESTDIR)$(PREFIX)/lib/vpup/vpup-init
	install -D -m 644 docs/vpup.1 $(DESTDIR)$(PREFIX)/share/man/man1/vpup.1

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/vpup $(DESTDIR)$(PREFIX)/lib/vpup/vpup-guest.elf $(DESTDIR)$(PREFIX)/lib/vpup/vpup-init \
		$(DESTDIR)$(PREFIX)/share/man/man1/vpup.1
	-rmdir $(DESTDIR)$(PREFIX)/lib/vpup 2>/dev/null

clean:
	rm -rf build

# --- rules ------------------------------------------------------------------------------------

$(BUILD)/vpup: $(MAIN_OBJ) $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -o $@ $^ $(HOST_LIBS)

SCENARIO_FILES := $(SCENARIOS:%=bench/scenarios/%.scenario)

$(BUILD)/bench/scenario_files.c: scripts/embed-scenarios.sh Makefile $(SCENARIO_FILES)
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/embed-scenarios.sh $(SCENARIO_FILES) >$@

$(BUILD)/bench/scenario_files.o: $(BUILD)/bench/scenario_files.c | deps-build
	$(call say,CC,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit-tests: $(UNIT_OBJ) $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -o $@ $^ $(HOST_LIBS) $$(pkg-config --libs check)

$(BUILD)/fuzz-fw_cfg: tests/fuzz/fuzz_fw_cfg.c devices/fw_cfg.c
$(BUILD)/fuzz-hv: tests/fuzz/fuzz_hv.c tests/unit/fake_hv_host.c $(HYPERV_SRC:%=hyperv/%)
$(BUILD)/fuzz-load: tests/fuzz/fuzz_load.c tests/unit/bzimage_fixture.c \
	$(addprefix vmm/,bzimage.c bzimage_info.c elf.c elf_file.c err.c load_plan.c mem.c memmap.c \
	multiboot.c)
$(BUILD)/fuzz-virtio: tests/fuzz/fuzz_virtio.c tests/unit/virtio_driver.c \
	$(addprefix devices/virtio/,blk.c console.c mmio.c net.c queue.c rng.c)

$(FUZZERS:%=$(BUILD)/fuzz-%): $(wildcard devices/*.h devices/virtio/*.h hyperv/*.h vmm/*.h \
	tests/fuzz/*.h tests/unit/*.h) | deps-check
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -D_GNU_SOURCE -O1 -g $(WARN) -I. -pthread -fno-sanitize-recover=all \
		-fsanitize=fuzzer,address,undefined -o $@ $(filter %.c,$^)

$(BUILD)/net-loop: $(BUILD)/tests/lab/net_loop.o
	$(call say,LD,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -o $@ $^

# /init of --exec. Static: it runs where no library is.
$(BUILD)/vpup-init: $(BUILD)/guest-init/init.o $(BUILD)/guest-init/network.o
	$(call say,LD,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -static -o $@ $^

# vpup reads the whole file at each start: what only a debugger wants stands in one of its own.
$(BUILD)/vpup-guest.elf: $(BUILD)/vpup-guest.debug
	$(call say,STRIP,$@)
	$(Q)$(OBJCOPY) --strip-debug $< $@

$(BUILD)/vpup-guest.debug: guest-kernel/guest.ld $(GUEST_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -T $< -o $@ $(GUEST_OBJ)

$(BUILD)/guest-kernel/%.o: guest-kernel/%.c | deps-build
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/guest-kernel/%.o: guest-kernel/%.S | deps-build
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

# The page of `vpup report` is part of the program.
$(BUILD)/bench/report_html.o: $(wildcard bench/report/*)

$(UNIT_OBJ): | deps-check

$(BUILD)/%.o: %.c | deps-build
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(wildcard $(BUILD)/guest-init/*.d) $(MAIN_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(GUEST_OBJ:.o=.d)
