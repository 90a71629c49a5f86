/* SPDX-License-Identifier: MIT */
/* What it is worth to give each VP its loops-per-jiffy value instead of having it measured. */
#include "bench/scenario.h"

const struct scenario scenario_lpj = {
	.name = "lpj",
	.summary = "bring-up time and lpj error, calibrated against preset",
	.dimension =
		{
			{"cpus", "16", true},
			{"smp", "serial", false},
			{"hz", "250", false},
			{"lpj", "calibrate,fine,preset", true},
		},
	.column =
		{
			{COLUMN_RUNS, "runs", "", "smp_bringup_ms"},
			{COLUMN_MEDIAN, "bring-up", "ms", "smp_bringup_ms"},
			{COLUMN_SPREAD, "p5-p95", "ms", "smp_bringup_ms"},
			{COLUMN_WORST, "lpj error", "ppm", "lpj_error_ppm"},
			{COLUMN_SPEEDUP, "speed-up", "times", "smp_bringup_ms"},
		},
	.claim = {.key = "lpj",
		  .base = "calibrate",
		  .better = "preset",
		  .metric = "smp_bringup_ms",
		  .unit = "ms",
		  .sentence = "a preset lpj makes bring-up"},
	.required = {"smp_bringup_ms", "lpj_error_ppm"},
};
