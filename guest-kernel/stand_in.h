/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for what bring-up costs on a real machine and not here. The time is spent asleep, so that
 * many modelled VPs overlap on few real processors. Called by secondary VPs with interrupts off,
 * their tables and local APIC set up; each stand-in marks its beginning and its end.
 */
#ifndef VPUP_GUEST_STAND_IN_H
#define VPUP_GUEST_STAND_IN_H

#include <stdbool.h>

#include "guest-kernel/vp.h"

/* Whether any cost was asked for. */
bool stand_in_any(void);

/*
 * In the init stage: microcode, for which the first thread of a core pays while the others wait for
 * it (the boot VP has its own already), and identification, for which every VP pays.
 */
void stand_in_init(struct vp *vp);

/*
 * In the online stage: TSC synchronisation, for which the first VP of each package pays but not for
 * the boot VP's, and the rest of going online, for which every VP pays.
 */
void stand_in_online(struct vp *vp);

/* For people, on the console. */
void stand_in_announce(void);

#endif
