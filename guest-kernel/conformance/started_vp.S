/* SPDX-License-Identifier: MIT */
/* First instructions of a VP that StartVirtualProcessor started, in 64-bit mode. */
#include "guest-kernel/asm_abi.h"
#include "guest-kernel/conformance/started_vp.h"

#define MSR_PAT      0x277
#define MSR_GS_BASE  0xc0000101
#define MSR_VP_INDEX 0x40000002

	/* Stores EDX:EAX, as RDMSR left it. */
	.macro	STORE_MSR msr, offset
	movl	$\msr, %ecx
	rdmsr
	movl	%eax, %gs:\offset
	movl	%edx, %gs:\offset + 4
	.endm

	.text
	.code64
	.globl	started_vp_entry
started_vp_entry:
	movq	%rsp, %gs:STARTED_RSP
	pushfq
	popq	%rax
	movq	%rax, %gs:STARTED_RFLAGS
	movq	%cr0, %rax
	movq	%rax, %gs:STARTED_CR0
	movq	%cr3, %rax
	movq	%rax, %gs:STARTED_CR3
	movq	%cr4, %rax
	movq	%rax, %gs:STARTED_CR4
	movl	%cs, %eax
	movl	%eax, %gs:STARTED_CS
	movl	%ss, %eax
	movl	%eax, %gs:STARTED_SS
	str	%eax
	movl	%eax, %gs:STARTED_TR
	STORE_MSR MSR_EFER, STARTED_EFER
	STORE_MSR MSR_PAT, STARTED_PAT
	STORE_MSR MSR_GS_BASE, STARTED_GSBASE
	STORE_MSR MSR_VP_INDEX, STARTED_HV
	movl	$1, %gs:STARTED_HERE
1:	cli
	hlt
	jmp	1b

	.section .note.GNU-stack, "", @progbits
