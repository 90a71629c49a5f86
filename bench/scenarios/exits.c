/* SPDX-License-Identifier: MIT */
/* What it costs to leave the guest, against a KVM_RUN loop with nothing behind it. */
#include "bench/scenario.h"

const struct scenario scenario_exits = {
	.name = "exits",
	.summary = "what an exit costs, by its reason, and over a bare KVM_RUN loop",
	.dimension =
		{
			{"cpus", "1", true},
			{"measure", "exits", false},
		},
	.column =
		{
			{COLUMN_RUNS, "runs", "", "cost.msr_read_us"},
			{COLUMN_MEDIAN, "bare MSR", "us", "cost.bare_msr_us"},
			{COLUMN_MEDIAN, "MSR read", "us", "cost.msr_read_us"},
			{COLUMN_MEDIAN, "over bare", "times", "cost.msr_over_bare"},
			{COLUMN_MEDIAN, "MSR write", "us", "cost.msr_write_us"},
			{COLUMN_MEDIAN, "port out", "us", "cost.port_out_us"},
			{COLUMN_MEDIAN, "hypercall", "us", "cost.hypercall_us"},
			{COLUMN_MEDIAN, "unknown call", "us", "cost.hypercall_unknown_us"},
		},
	.required = {"cost.bare_msr_us", "cost.msr_read_us", "cost.msr_over_bare"},
};
