/* SPDX-License-Identifier: MIT */
/*
 * The Hyper-V test device: 32-bit commands to its port. SINT in bits 7:0, VP index in 15:8, command in
 * 23:16, connection id in 31:24. Those up to 7 are QEMU's hyperv-testdev's.
 */
#ifndef VPUP_ABI_HV_TESTDEV_H
#define VPUP_ABI_HV_TESTDEV_H

#define HV_TESTDEV_PORT 0x3000

enum hv_testdev_command {
	HV_TESTDEV_ROUTE_CREATE = 1,
	HV_TESTDEV_ROUTE_DESTROY,
	HV_TESTDEV_ROUTE_RAISE,
	HV_TESTDEV_MESSAGE_CREATE, /* gives each message back */
	HV_TESTDEV_MESSAGE_DESTROY,
	HV_TESTDEV_EVENT_CREATE, /* has one flag, and sets that of its id's number */
	HV_TESTDEV_EVENT_DESTROY,
	HV_TESTDEV_FLAGS_CREATE, /* has all flags, and gives each back */
	HV_TESTDEV_FLAGS_DESTROY,
};

#endif
