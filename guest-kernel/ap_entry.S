/* SPDX-License-Identifier: MIT */
/* Entry of a secondary VP: SIPI, real mode, straight to long mode, its own stack, ap_main(). */
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/long_mode.inc"

	/*
	 * Copied to TRAMPOLINE_ADDR. Needs no patching: what it refers to lies in the kernel image,
	 * at addresses that fit 32 bits, but for the GDT pointer, which it reaches through CS.
	 */
	.section .rodata
	.code16
	.globl	trampoline_start, trampoline_end
trampoline_start:
	rdtsc
	movl	%eax, %esi
	movl	%edx, %edi
	lgdtl	%cs:trampoline_gdtr - trampoline_start
	ENTER_LONG_MODE
	ljmpl	$SEL_CODE64, $ap_entry64
trampoline_gdtr:
	.word	3 * 8 - 1
	.long	boot_gdt
trampoline_end:

	/*
	 * A VP that a hypercall started is in 64-bit mode already, on the boot VP's tables.
	 */
	.text
	.code64
	.globl	start_vp_entry
start_vp_entry:
	rdtsc
	movl	%eax, %esi
	movl	%edx, %edi

	/*
	 * EDI:ESI is the TSC at the first instruction. Every VP finds its own struct vp by the ID
	 * that its local APIC reports, so that all may come at once. x2APIC mode is per VP, and its
	 * ID register is the only one that holds IDs above 255. A VP that no table named stays
	 * here.
	 */
ap_entry64:
	movl	$SEL_DATA, %eax
	movl	%eax, %ss
	cmpl	$0, ap_boot + AP_BOOT_X2APIC
	je	1f
	movl	$MSR_APIC_BASE, %ecx
	rdmsr
	btsl	$APIC_BASE_EXTD, %eax
	wrmsr
	movl	$MSR_X2APIC_ID, %ecx
	rdmsr
	jmp	2f
1:	movl	$XAPIC_BASE, %eax
	movl	XAPIC_REG_ID(%rax), %eax
	shrl	$XAPIC_ID_SHIFT, %eax
2:	cmpl	$APIC_ID_LIMIT, %eax
	ja	ap_stranger
	movzwl	vp_number_by_apic_id(, %rax, 2), %edx
	testl	%edx, %edx
	jz	ap_stranger
	shlq	$VP_SHIFT, %rdx
	addq	ap_boot + AP_BOOT_VPS, %rdx
	leaq	VP_STACK_TOP - VP_SIZE(%rdx), %rsp
	/* ap_main(vp, start_tsc) */
	movl	%esi, %esi
	shlq	$32, %rdi
	orq	%rdi, %rsi
	leaq	-VP_SIZE(%rdx), %rdi
	xorl	%ebp, %ebp
	call	ap_main
	jmp	ap_park
ap_stranger:
	lock
	incl	ap_boot + AP_BOOT_STRANGERS
	/* Interrupts stay off, so that a VP that is done costs nothing; an NMI may end the HLT. */
ap_park:
	hlt
	jmp	ap_park

	.section .note.GNU-stack, "", @progbits
