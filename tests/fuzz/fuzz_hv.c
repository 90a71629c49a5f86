/* SPDX-License-Identifier: MIT */
/*
 * A hostile guest for hyperv/: any sequence of MSR accesses, hypercalls, writes to RAM, timer
 * expiries, messages and resets, against the fake host of the unit tests, which checks what it is
 * asked for. At the end RAM must be as it was, unless something was to write to it.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz_input.h"
#include "tests/unit/fake_hv_host.h"

#define VPS            3
#define MAX_PASS_100NS 1000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct fake_hv_host host;
	struct hv_partition *p;
	struct fuzz_input in;
	bool ram_written;
};

/* Anything, or what is worth trying more often than chance would. */
static uint64_t take_value(struct fuzz *z)
{
	uint8_t kind = fuzz_take(&z->in, 1);

	switch (kind & 3) {
	case 0:
		return fuzz_take(&z->in, 8);
	case 1: /* in a page of RAM or near it, with low bits */
		return fake_page_gpa(kind >> 2 & 15) +
		       (fuzz_take(&z->in, 2) & 0xfff) * (kind >> 6 & 1 ? 8 : 1);
	case 2: /* near the present */
		return atomic_load(&z->host.guest_tsc) / 2 + fuzz_take(&z->in, 2) - 1000;
	default:
		return fuzz_take(&z->in, 2);
	}
}

static uint32_t take_msr(struct fuzz *z)
{
	return HV_MSR_FIRST + (uint32_t)(fuzz_take(&z->in, 2) & 0x1ff);
}

static void fuzz_hypercall(struct fuzz *z, uint32_t vp)
{
	static const uint16_t codes[] = {0x02, 0x03, 0x08, 0x0b, 0x13, 0x14, 0x15,   0x46,
					 0x50, 0x51, 0x5c, 0x5d, 0x99, 0x9a, 0x8001, 0xbeef};
	uint8_t pick = fuzz_take(&z->in, 1);
	struct hv_hypercall_regs r = {.rcx = codes[pick & 15]};

	if (pick & 16)
		r.rcx |= fuzz_take(&z->in, 8) & ~HV_HYPERCALL_CODE_MASK;
	if (pick & 32)
		r.rcx |= HV_HYPERCALL_FAST_BIT;
	if (pick & 64)
		r.rcx |= 1ull << HV_HYPERCALL_REP_COMP_OFFSET;
	r.rdx = take_value(z);
	r.r8 = take_value(z);
	for (size_t i = 0; pick & 128 && i < 4; i++)
		memcpy(z->host.xmm + 8 * i, &(uint64_t){take_value(z)}, 8);
	z->ram_written = true;
	hv_hypercall(z->p, vp, &r);
}

static void fuzz_ram(struct fuzz *z)
{
	size_t off = fuzz_take(&z->in, 2) % (FAKE_RAM_SIZE / 8) * 8;
	uint64_t val = take_value(z);

	memcpy(z->host.ram + off, &val, sizeof(val));
	z->ram_written = true;
}

static void fuzz_message(struct fuzz *z, uint32_t vp)
{
	struct hv_message m = {.type = fuzz_take(&z->in, 1), .payload_bytes = fuzz_take(&z->in, 1)};

	if (m.type & 1)
		hv_synic_post_message(z->p, vp, fuzz_take(&z->in, 1) & 31, &m);
	else
		hv_synic_signal_event(z->p, vp, fuzz_take(&z->in, 1) & 31,
				      fuzz_take(&z->in, 2) & 0xfff);
}

static void step(struct fuzz *z)
{
	uint8_t op = fuzz_take(&z->in, 1);
	uint32_t vp = (op >> 4) % VPS;
	uint64_t now = atomic_load(&z->host.guest_tsc) / 2, val;
	uint32_t msr;

	switch (op & 15) {
	case 0:
		hv_msr_read(z->p, vp, take_msr(z), &val);
		break;
	default:
		msr = take_msr(z);
		hv_msr_write(z->p, vp, msr, take_value(z));
		break;
	case 8:
	case 9:
	case 10:
		fuzz_hypercall(z, vp);
		break;
	case 11:
		fake_pass_to(&z->host, now + fuzz_take(&z->in, 3) % MAX_PASS_100NS);
		break;
	case 12: /* a stall */
		fake_set_time(&z->host, now + (fuzz_take(&z->in, 8) >> (8 + op % 48)));
		break;
	case 13:
		hv_stimer_expired(z->p, vp, op >> 6);
		break;
	case 14:
		fuzz_message(z, vp);
		break;
	case 15:
		if (op == 0xff)
			hv_partition_reset(z->p);
		else
			fuzz_ram(z);
		break;
	}
}

static uint16_t echo(void *ctx, const struct hv_posted_message *m)
{
	struct fuzz *z = ctx;
	struct hv_message out = {.type = m->type, .payload_bytes = m->payload_bytes};

	memcpy(out.payload, m->payload, m->payload_bytes);
	return hv_synic_post_message(z->p, m->vp, m->type & 15, &out);
}

static uint16_t forward(void *ctx, uint32_t vp, uint16_t flag)
{
	struct fuzz *z = ctx;

	return hv_synic_signal_event(z->p, vp, flag & 15, flag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz z = {.in = {data, size}};
	const struct hv_config cfg = {
		.vps = VPS,
		.tsc_hz = FAKE_TSC_HZ,
		.hypercall_port = 0xe5,
		.features = fake_all_features(),
	};
	const struct hv_port messages = {.connection_id = 1, .message = echo, .ctx = &z};
	const struct hv_port events = {.connection_id = 2,
				       .event = forward,
				       .flags = HV_EVENT_FLAGS_COUNT,
				       .ctx = &z};

	fake_hv_host_init(&z.host);
	z.p = hv_partition_new(&cfg, &fake_hv_host_ops, &z.host);
	if (!z.p || hv_port_connect(z.p, &messages) || hv_port_connect(z.p, &events))
		abort();
	z.host.p = z.p;
	while (z.in.size)
		step(&z);
	hv_partition_reset(z.p);
	if (!z.ram_written && !fake_ram_pristine(&z.host))
		abort();
	hv_partition_free(z.p);
	fake_hv_host_fini(&z.host);
	return 0;
}
