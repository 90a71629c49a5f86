/* SPDX-License-Identifier: MIT */
/* A hypercall with all registers set, and all looked at afterwards. */

	/* void conf_call_page(const void *page, struct conf_regs *r) */
	.text
	.globl	conf_call_page
conf_call_page:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rsi
	pushq	%rdi
	movq	%rsi, %rax
	movq	8(%rax), %rbx
	movq	16(%rax), %rcx
	movq	24(%rax), %rdx
	movq	32(%rax), %rsi
	movq	40(%rax), %rdi
	movq	48(%rax), %rbp
	movq	56(%rax), %r8
	movq	64(%rax), %r9
	movq	72(%rax), %r10
	movq	80(%rax), %r11
	movq	88(%rax), %r12
	movq	96(%rax), %r13
	movq	104(%rax), %r14
	movq	112(%rax), %r15
	movq	(%rax), %rax
	call	*(%rsp)
	/* The result goes where the pointer to r stood, and that into RAX. */
	xchgq	%rax, 8(%rsp)
	movq	%rbx, 8(%rax)
	movq	%rcx, 16(%rax)
	movq	%rdx, 24(%rax)
	movq	%rsi, 32(%rax)
	movq	%rdi, 40(%rax)
	movq	%rbp, 48(%rax)
	movq	%r8, 56(%rax)
	movq	%r9, 64(%rax)
	movq	%r10, 72(%rax)
	movq	%r11, 80(%rax)
	movq	%r12, 88(%rax)
	movq	%r13, 96(%rax)
	movq	%r14, 104(%rax)
	movq	%r15, 112(%rax)
	popq	%rdi
	popq	%rcx
	movq	%rcx, (%rax)
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret

	.section .note.GNU-stack, "", @progbits
