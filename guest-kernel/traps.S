/* SPDX-License-Identifier: MIT */
/* The interrupt descriptor table, and one stub per vector, all leading to trap_handle(). */
#include "guest-kernel/asm_abi.h"

	/*
	 * Vector n enters at trap_stubs + n * TRAP_STUB_SIZE. The CPU pushes an error code for 8,
	 * 10-14, 17, 21, 29 and 30 (SDM 3A 6.13, APM 2 8.2); the others get a zero in its place.
	 */
	.section .text.traps, "ax"
	.balign	TRAP_STUB_SIZE
trap_stubs:
	.set	i, 0
	.rept	VECTORS
	.balign	TRAP_STUB_SIZE
	.if	!(i == 8 || (i >= 10 && i <= 14) || i == 17 || i == 21 || i == 29 || i == 30)
	pushq	$0
	.endif
	pushq	$i
	jmp	trap_common
	.set	i, i + 1
	.endr

	/* Builds struct trap_frame on the stack. */
trap_common:
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rbx
	pushq	%rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cld
	movq	%rsp, %rdi
	call	trap_handle
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	popq	%rbx
	popq	%rdx
	popq	%rcx
	popq	%rax
	addq	$16, %rsp
	iretq

	/*
	 * Interrupt gates, present, ring 0 (SDM 3A 6.14.1); double faults and NMIs have stacks of
	 * their own.
	 */
	.section .rodata
	.balign	16
idt:
	.set	i, 0
	.rept	VECTORS
	.set	ist, 0
	.if	i == 8
	.set	ist, IST_DOUBLE_FAULT
	.elseif	i == 2
	.set	ist, IST_NMI
	.endif
	.word	trap_stubs + i * TRAP_STUB_SIZE - IMAGE_BASE, SEL_CODE64
	.word	0x8e00 + ist, IMAGE_BASE >> 16
	.long	0, 0
	.set	i, i + 1
	.endr
	.globl	idtr
idtr:
	.word	idtr - idt - 1
	.quad	idt

	.section .note.GNU-stack, "", @progbits
