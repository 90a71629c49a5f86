/* SPDX-License-Identifier: MIT */
/* From the start of vpup to the last VP online, step by step, over the least that KVM allows. */
#include "bench/scenario.h"

const struct scenario scenario_startup = {
	.name = "startup",
	.summary = "from the start of vpup to the last VP online, over a bare VM of as many VPs",
	.dimension =
		{
			{"cpus", "1,4,16,64", true},
			{"smp", "full", false},
			{"lpj", "preset", false},
			{"floor", "on", false},
		},
	.column =
		{
			{COLUMN_RUNS, "runs", "", "startup_ms"},
			{COLUMN_MEDIAN, "start-up", "ms", "startup_ms"},
			{COLUMN_MEDIAN, "host", "ms", "startup.host_ms"},
			{COLUMN_MEDIAN, "VPs", "ms", "startup.vps_ms"},
			{COLUMN_MEDIAN, "guest", "ms", "startup.guest_ms"},
			{COLUMN_MEDIAN, "bring-up", "ms", "startup.bringup_ms"},
			{COLUMN_MEDIAN, "floor", "ms", "startup.floor_ms"},
			{COLUMN_MEDIAN, "over floor", "times", "startup_over_floor"},
		},
	.required = {"startup_ms", "startup.host_ms", "startup.bringup_ms", "startup.floor_ms"},
};
