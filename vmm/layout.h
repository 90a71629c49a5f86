/* SPDX-License-Identifier: MIT */
/* The guest's physical address map: every fixed address and port of the machine, in one place. */
#ifndef VPUP_VMM_LAYOUT_H
#define VPUP_VMM_LAYOUT_H

/*
 * RAM                 [0, min(size, LOW_RAM_MAX)) and, past 4 GiB, the rest.
 *   0x00006000          PVH start_info, module list and memory map (one page)
 *   0x00007000          PVH command line (one page)
 *   0x00010000          boot_params of a bzImage, then setup_data (a page each)
 *   0x00012000          page tables and GDT for an entry in 64-bit mode (eight pages)
 *   0x0009c000          Multiboot information, with its strings (three pages)
 *   0x0009fc00-0xfffff  reserved, as on a PC; the RSDP stands in its last 64 KiB
 *   end of low RAM      modules (initrd, device tree), then the ACPI tables
 * Hole                [LOW_RAM_MAX, 4 GiB): virtio devices, I/O APIC, local APIC, test memory,
 *                     private pages of KVM.
 */
#define LAYOUT_LOW_RAM_MAX    0xc0000000ull
#define LAYOUT_HIGH_RAM_BASE  0x100000000ull
#define LAYOUT_RAM_MIN        0x400000ull /* 4 MiB: the bundled guest, its tables and one VP */
#define LAYOUT_PVH_INFO       0x6000ull
#define LAYOUT_PVH_INFO_SIZE  0x1000ull
#define LAYOUT_CMDLINE        0x7000ull
#define LAYOUT_CMDLINE_SIZE   0x1000ull
#define LAYOUT_BOOT_PARAMS    0x10000ull
#define LAYOUT_SETUP_DATA     0x11000ull
#define LAYOUT_LONG_MODE      0x12000ull /* CR3 */
#define LAYOUT_LONG_MODE_SIZE 0x8000ull
#define LAYOUT_BOOT_GDT       0x19000ull /* their last page */
#define LAYOUT_MBI            0x9c000ull
#define LAYOUT_MBI_SIZE       0x3000ull
#define LAYOUT_EBDA           0x9fc00ull
#define LAYOUT_RSDP           0xf0000ull
#define LAYOUT_RESET_VECTOR   0xffff0ull /* F000:FFF0 */
#define LAYOUT_KERNEL_MIN     0x100000ull
#define LAYOUT_VIRTIO         0xfeb00000ull /* a page for each device, from here on */
#define LAYOUT_IOAPIC         0xfec00000ull
#define LAYOUT_LAPIC          0xfee00000ull
#define LAYOUT_KVM_IDENTITY   0xfffbc000ull
#define LAYOUT_KVM_TSS        0xfffbd000ull

#define LAYOUT_TESTDEV_MEMORY 0xff000000ull /* with --testdev */

#define LAYOUT_PORT_COM1        0x3f8
#define LAYOUT_PORT_RTC         0x70
#define LAYOUT_PORT_I8042_CMD   0x64
#define LAYOUT_PORT_I8042_DAT   0x60
#define LAYOUT_PORT_DEBUGCON    0xe9
#define LAYOUT_PORT_EXIT        0xf4
#define LAYOUT_PORT_TESTDEV     0xe0 /* this and those below: with --testdev */
#define LAYOUT_PORT_TESTDEV_IRQ 0x2000
#define LAYOUT_PORT_FW_CFG      0x510
#define LAYOUT_PORT_MEASURE     0xfa /* with --json */
#define LAYOUT_PORT_ACPI        0x600
#define LAYOUT_PORT_HYPERCALL   0xfc /* see docs/hyperv.md: `out imm8` clobbers no register */

#define LAYOUT_IRQ_COM1   4
#define LAYOUT_IRQ_ACPI   9
#define LAYOUT_IRQ_VIRTIO 16 /* and the seven behind it */

#endif
