/* SPDX-License-Identifier: MIT */
/* L1's end of the channel to its host: frames to the debug console's port. */
#ifndef VPUP_LAB_CHANNEL_H
#define VPUP_LAB_CHANNEL_H

#include "lab/frame.h"
#include "vmm/err.h"

/* Gains access to the port. Returns 0, or -errno with e set. */
int channel_open(struct err *e);

/* Sends data as frames of that type, as many as it takes: one for no data. */
void channel_send(enum frame_type type, const void *data, size_t size_bytes);

/* Tells that a step has ended now. */
void channel_mark(const char *step);

/*
 * Sends a file as path: FRAME_FILE, FRAME_DATA, FRAME_FILE_END. Returns 0, or -errno with e set; then
 * the host has an incomplete file, which it drops.
 */
int channel_send_file(const char *path, struct err *e);

#endif
