/* SPDX-License-Identifier: MIT */
/* VPs started by HvCallStartVirtualProcessor: registers as given, no INIT and no SIPI. */
#ifndef VPUP_VMM_HV_START_VP_H
#define VPUP_VMM_HV_START_VP_H

#include <stdint.h>

#include "hyperv/hv_defs.h"
#include "vmm/err.h"
#include "vmm/vp.h"

/*
 * Has the VP start with this context. Any thread; does not wait. Returns HV_STATUS_SUCCESS or
 * HV_STATUS_INVALID_VP_STATE when it runs already, or is about to.
 */
uint16_t hv_start_vp(struct vp *vp, const struct hv_vp_context *context);

/* Does it, on the VP's own thread between two entries. Returns 0 or -errno with e set. */
int hv_start_vp_apply(struct vp *vp, struct err *e);

#endif
