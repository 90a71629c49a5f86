/* SPDX-License-Identifier: MIT */
/* Constants that assembly and C share: selectors, register bits, and the layout of struct vp. */
#ifndef VPUP_GUEST_ASM_ABI_H
#define VPUP_GUEST_ASM_ABI_H

/* Segment selectors; every VP's own GDT and the boot GDT agree on the first two. */
#define SEL_CODE64 0x08
#define SEL_DATA   0x10
#define SEL_TSS    0x18

#define GDT_CODE64 0x00af9b000000ffff /* accessed already, so that the CPU need not write it */
#define GDT_DATA   0x00cf93000000ffff

/* Control registers (SDM 3A 2.5) and MSRs used on the way into long mode */
#define CR0_BOOT 0x80010033 /* PG, WP, NE, ET, MP, PE */
#define CR4_BOOT 0x20       /* PAE */

#define MSR_EFER       0xc0000080
#define EFER_LME       0x100
#define MSR_APIC_BASE  0x1b
#define APIC_BASE_EXTD 10 /* bit number: x2APIC mode */
#define MSR_X2APIC_ID  0x802
#define XAPIC_BASE     0xfee00000
#define XAPIC_REG_ID   0x20
#define XAPIC_ID_SHIFT 24

/* A secondary VP starts in real mode here; SIPI vector = address / 4096. */
#define TRAMPOLINE_ADDR 0x8000

/* struct vp: its size, and the end of its stack within it */
#define VP_SIZE      8192
#define VP_SHIFT     13
#define VP_STACK_TOP 7168

/* APIC IDs from 0 to here can be VPs: VP numbers, counted from 1, must fit 16 bits. */
#define APIC_ID_LIMIT 65534

/* struct ap_boot */
#define AP_BOOT_VPS       0
#define AP_BOOT_X2APIC    8
#define AP_BOOT_STRANGERS 12

/* Vectors: the 32 exceptions, then ours. The spurious one ends in 15, as old APICs want it. */
#define TRAP_VECTORS    32
#define VECTOR_TICK     32
#define VECTOR_WAKE     33
#define VECTOR_SPURIOUS 47
#define VECTORS         48
#define TRAP_STUB_SIZE  16

/* Interrupt stack table entries, counted from 1 as IDT gates do */
#define IST_DOUBLE_FAULT 1
#define IST_NMI          2

/*
 * Where the image is loaded; the trap stubs stand within 64 KiB of it, so that the IDT can be
 * static.
 */
#define IMAGE_BASE 0x100000

#endif
