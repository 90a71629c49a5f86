/* SPDX-License-Identifier: MIT */
/* Arguments of `vpup run` options that are more than a word to keep. */
#ifndef VPUP_VMM_RUN_OPTION_ARGS_H
#define VPUP_VMM_RUN_OPTION_ARGS_H

#include "vmm/config.h"

/* Each parses the argument of the option of its name into cfg. 0, or VPUP_EXIT_USAGE with its line printed. */
int run_option_cpus(struct vm_config *cfg, const char *arg);
int run_option_numa(struct vm_config *cfg, const char *arg);
int run_option_memory(struct vm_config *cfg, const char *arg);
int run_option_exec(struct vm_config *cfg, const char *arg);
int run_option_hyperv(struct vm_config *cfg, const char *arg);
int run_option_hv(struct vm_config *cfg, const char *arg);
int run_option_invtsc(struct vm_config *cfg, const char *arg);
int run_option_lpj(struct vm_config *cfg, const char *arg);
int run_option_hz(struct vm_config *cfg, const char *arg);
int run_option_console(struct vm_config *cfg, const char *arg);
int run_option_hvc(struct vm_config *cfg, const char *arg);
int run_option_power_off(struct vm_config *cfg, const char *arg);
int run_option_timeout(struct vm_config *cfg, const char *arg);
int run_option_share_cwd(struct vm_config *cfg, const char *arg);
int run_option_noise(struct vm_config *cfg, const char *arg);

#endif
