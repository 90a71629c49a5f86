/* SPDX-License-Identifier: MIT */
/* QEMU's name, of the lab's engine and of what vpup is compared with. */
#ifndef VPUP_VMM_QEMU_H
#define VPUP_VMM_QEMU_H

#define QEMU_PROGRAM "qemu-system-x86_64"
#define QEMU_PACKAGE "qemu-system-x86" /* Debian's and Ubuntu's name */

#endif
