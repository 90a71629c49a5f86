/* SPDX-License-Identifier: MIT */
/* PVH entry of the boot VP: 32-bit protected mode to long mode, on static page tables. */
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/long_mode.inc"

	/* XEN_ELFNOTE_PHYS32_ENTRY: where a PVH loader enters, in 32-bit protected mode */
	.section .note.Xen, "a", @note
	.balign	4
	.long	4, 8, 18
	.asciz	"Xen"
	.quad	pvh_entry

	/* EBX: physical address of start_info. The first instruction is the guest's time zero. */
	.section .text.entry, "ax"
	.code32
	.globl	pvh_entry
pvh_entry:
	rdtsc
	movl	%eax, %esi
	movl	%edx, %edi
	lgdtl	boot_gdtr
	ENTER_LONG_MODE
	ljmpl	$SEL_CODE64, $boot_entry64

	.code64
boot_entry64:
	movl	$SEL_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	cld
	movl	$boot_stack_top, %esp
	/* kmain(start_info, entry_tsc); the upper halves were undefined in 32-bit mode */
	movl	%esi, %esi
	shlq	$32, %rdi
	orq	%rdi, %rsi
	movl	%ebx, %edi
	xorl	%ebp, %ebp
	call	kmain
	ud2

	.section .rodata
	.balign	8
	.globl	boot_gdtr, boot_gdt
boot_gdt:
	.quad	0, GDT_CODE64, GDT_DATA
boot_gdtr:
	.word	boot_gdtr - boot_gdt - 1
	.long	boot_gdt

	/*
	 * The first 4 GiB mapped one to one. Accessed and dirty bits are set so that no walk has to
	 * write them; the last GiB, where the local APIC is, is not cached.
	 */
	.data
	.balign	4096
	.globl	boot_pml4
boot_pml4:
	.quad	boot_pdpt + PTE_TABLE
	.fill	511, 8, 0
boot_pdpt:
	.set	i, 0
	.rept	4
	.quad	boot_pd + i * 4096 + PTE_TABLE
	.set	i, i + 1
	.endr
	.fill	508, 8, 0
boot_pd:
	.set	i, 0
	.rept	3 * 512
	.quad	(i << 21) + PTE_LARGE
	.set	i, i + 1
	.endr
	.rept	512
	.quad	(i << 21) + PTE_LARGE + PTE_UNCACHED
	.set	i, i + 1
	.endr

	.bss
	.balign	16
	.skip	16384
boot_stack_top:

	.section .note.GNU-stack, "", @progbits
