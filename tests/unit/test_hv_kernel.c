/* SPDX-License-Identifier: MIT */
/* Kernel mode: what is chosen from a made-up KVM's offer, and the hypercalls that KVM hands over. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/hv_kernel.h"

/* What Linux 6.1 offers, but for its signature. */
#define KVM_FEATURES_EAX 0x2affu
#define KVM_FEATURES_EBX 0x830u
#define KVM_FEATURES_EDX 0x84d12u
#define KVM_HINTS_EAX    0xc2cu
#define NESTED_EAX       0x60001u
#define NESTED_EBX       0x1u

#define LEAVES_MAX 32

static struct cpuid_set kvm;
static struct hv_config cfg;
static struct hv_features named;
static struct kvm_cpuid_entry2 leaf[LEAVES_MAX];
static size_t leaves;

static void offer(uint32_t function, uint32_t eax, uint32_t ebx, uint32_t edx)
{
	kvm.entry[kvm.nent++] =
		(struct kvm_cpuid_entry2){.function = function, .eax = eax, .ebx = ebx, .edx = edx};
}

static void setup(void)
{
	memset(&kvm, 0, sizeof(kvm));
	memset(&named, 0, sizeof(named));
	memset(&cfg, 0, sizeof(cfg));
	cfg.vps = 12;
	hv_features_default(&cfg.features, HV_MODE_KERNEL, NULL);
	offer(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS, HYPERV_CPUID_VIRT_STACK_PROPERTIES, 1, 1);
	offer(HYPERV_CPUID_FEATURES, KVM_FEATURES_EAX, KVM_FEATURES_EBX, KVM_FEATURES_EDX);
	offer(HYPERV_CPUID_ENLIGHTMENT_INFO, KVM_HINTS_EAX, 0xfff, 0);
	offer(HYPERV_CPUID_IMPLEMENT_LIMITS, 64, 64, 0);
	offer(HYPERV_CPUID_NESTED_FEATURES, NESTED_EAX, NESTED_EBX, 0);
	offer(HYPERV_CPUID_VIRT_STACK_PROPERTIES, 2, 0, 0);
}

static void turn_on(enum hv_feature f)
{
	cfg.features.on |= HV_FEATURE_BIT(f);
}

static bool is_on(enum hv_feature f)
{
	return hv_features_have(&cfg.features, f);
}

static const struct kvm_cpuid_entry2 *get(uint32_t function)
{
	leaves = hv_kernel_leaves(&cfg, &kvm, leaf, LEAVES_MAX);
	for (size_t i = 0; i < leaves; i++) {
		if (leaf[i].function == function)
			return &leaf[i];
	}
	return NULL;
}

START_TEST(what_kvm_offers_stays)
{
	uint32_t before = cfg.features.on;
	struct err e;

	named = cfg.features;
	ck_assert_int_eq(hv_kernel_restrict(&cfg.features, &named, &kvm, &e), 0);
	ck_assert_uint_eq(cfg.features.on, before);
}
END_TEST

START_TEST(what_kvm_lacks_goes_and_what_needs_it)
{
	struct err e;

	cpuid_find(&kvm, HYPERV_CPUID_ENLIGHTMENT_INFO, 0)->eax &=
		~HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED;
	cpuid_find(&kvm, HYPERV_CPUID_FEATURES, 0)->ebx &= ~HV_SIGNAL_EVENTS;
	ck_assert_int_eq(hv_kernel_restrict(&cfg.features, &named, &kvm, &e), 0);
	ck_assert(!is_on(HV_FEATURE_TLBFLUSH));
	ck_assert(!is_on(HV_FEATURE_SYNIC));
	ck_assert(!is_on(HV_FEATURE_STIMER));
	ck_assert(!is_on(HV_FEATURE_STIMER_DIRECT));
	ck_assert(is_on(HV_FEATURE_IPI));
	ck_assert(is_on(HV_FEATURE_TIME));
	ck_assert(is_on(HV_FEATURE_BASE));
}
END_TEST

START_TEST(what_was_named_must_be_there)
{
	uint32_t before;
	struct err e;

	turn_on(HV_FEATURE_TSC_INVARIANT);
	before = cfg.features.on;
	named.on = HV_FEATURE_BIT(HV_FEATURE_TSC_INVARIANT);
	ck_assert_int_eq(hv_kernel_restrict(&cfg.features, &named, &kvm, &e), -ENOTSUP);
	ck_assert_str_eq(e.text, "--hv: this host's KVM does not have tsc-invariant");
	ck_assert_uint_eq(cfg.features.on, before);

	/* An empty offer: even what every partition has. */
	kvm.nent = 0;
	named.on = HV_FEATURE_BIT(HV_FEATURE_VPINDEX);
	ck_assert_int_eq(hv_kernel_restrict(&cfg.features, &named, &kvm, &e), -ENOTSUP);
	ck_assert_str_eq(e.text, "--hv: this host's KVM does not have vpindex");
}
END_TEST

START_TEST(avic_is_only_advice)
{
	struct err e;

	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->eax, KVM_HINTS_EAX);
	turn_on(HV_FEATURE_AVIC);
	named = cfg.features;
	ck_assert_int_eq(hv_kernel_restrict(&cfg.features, &named, &kvm, &e), 0);
	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->eax,
			  KVM_HINTS_EAX | HV_DEPRECATING_AEOI_RECOMMENDED);
}
END_TEST

START_TEST(leaves_say_what_is_on)
{
	uint32_t vendor[3];

	memcpy(vendor, "Microsoft Hv", sizeof(vendor));
	ck_assert_uint_eq(get(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS)->eax,
			  HYPERV_CPUID_IMPLEMENT_LIMITS);
	ck_assert_uint_eq(leaf[0].ebx, vendor[0]);
	ck_assert_uint_eq(leaf[0].ecx, vendor[1]);
	ck_assert_uint_eq(leaf[0].edx, vendor[2]);
	ck_assert_uint_eq(get(HYPERV_CPUID_INTERFACE)->eax, HYPERV_CPUID_SIGNATURE_EAX);
	ck_assert_uint_eq(get(HYPERV_CPUID_VERSION)->ebx, 1);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->eax, 0x2aff);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->ebx, 0x30);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->edx, 0x80510);
	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->ebx, UINT32_MAX);
	ck_assert_uint_eq(get(HYPERV_CPUID_IMPLEMENT_LIMITS)->eax, 12);

	cfg.features.on = HV_FEATURE_BIT(HV_FEATURE_BASE) | HV_FEATURE_BIT(HV_FEATURE_SPINLOCKS);
	cfg.features.spin_retries = 4095;
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->eax, HV_MSR_HYPERCALL_AVAILABLE);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->edx, 0);
	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->eax, 0);
	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->ebx, 4095);
}
END_TEST

START_TEST(no_bit_that_kvm_lacks)
{
	cpuid_find(&kvm, HYPERV_CPUID_FEATURES, 0)->eax = HV_MSR_HYPERCALL_AVAILABLE;
	cpuid_find(&kvm, HYPERV_CPUID_FEATURES, 0)->ebx = HV_POST_MESSAGES;
	cpuid_find(&kvm, HYPERV_CPUID_FEATURES, 0)->edx = 0;
	cpuid_find(&kvm, HYPERV_CPUID_ENLIGHTMENT_INFO, 0)->eax = 0;
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->eax, HV_MSR_HYPERCALL_AVAILABLE);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->ebx, HV_POST_MESSAGES);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->edx, 0);
	ck_assert_uint_eq(get(HYPERV_CPUID_ENLIGHTMENT_INFO)->eax, 0);
	kvm.nent = 0;
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->eax, 0);
}
END_TEST

START_TEST(nesting_only_with_evmcs)
{
	for (uint32_t f = HYPERV_CPUID_IMPLEMENT_LIMITS + 1; f <= HYPERV_CPUID_NESTED_FEATURES; f++)
		ck_assert_ptr_null(get(f));
	turn_on(HV_FEATURE_EVMCS);
	ck_assert_uint_eq(get(HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS)->eax,
			  HYPERV_CPUID_NESTED_FEATURES);
	ck_assert_uint_eq(get(HYPERV_CPUID_NESTED_FEATURES)->eax, NESTED_EAX);
	ck_assert_uint_eq(get(HYPERV_CPUID_NESTED_FEATURES)->ebx, NESTED_EBX);
}
END_TEST

START_TEST(debugger_only_with_syndbg)
{
	ck_assert_uint_eq(get(HYPERV_CPUID_VIRT_STACK_PROPERTIES)->eax, 0);
	turn_on(HV_FEATURE_SYNDBG);
	ck_assert_uint_eq(get(HYPERV_CPUID_VIRT_STACK_PROPERTIES)->eax, 2);
	ck_assert_uint_eq(get(HYPERV_CPUID_FEATURES)->ebx & HV_DEBUGGING, HV_DEBUGGING);
}
END_TEST

START_TEST(no_more_leaves_than_there_is_room)
{
	memset(leaf, 0, sizeof(leaf));
	ck_assert_uint_eq(hv_kernel_leaves(&cfg, &kvm, leaf, 3), 3);
	ck_assert_uint_eq(leaf[2].function, HYPERV_CPUID_VERSION);
	ck_assert_uint_eq(leaf[3].function, 0);
}
END_TEST

static uint16_t take_message(void *ctx, const struct hv_posted_message *m)
{
	(void)ctx;
	ck_assert_uint_eq(m->vp, 7);
	ck_assert_uint_eq(m->payload_bytes, 3);
	return memcmp(m->payload, "abc", 3) ? HV_STATUS_INVALID_PARAMETER : HV_STATUS_SUCCESS;
}

static uint16_t take_event(void *ctx, uint32_t vp, uint16_t flag)
{
	(void)ctx;
	ck_assert_uint_eq(vp, 7);
	return flag == 5 ? HV_STATUS_INVALID_SYNIC_STATE : HV_STATUS_SUCCESS;
}

#define RAM_BYTES   0x100000
#define LAST_BLOCK  (RAM_BYTES - 256)
#define FAST        HV_HYPERCALL_FAST_BIT
#define FLAG(n)     ((uint64_t)(n) << 32)
#define MESSAGES_ID 0x10
#define EVENTS_ID   0x11

/* A message for the port lies at 0x1000 and in the last bytes of RAM. */
static const struct {
	uint64_t control, input, status;
} calls[] = {
	{HVCALL_POST_MESSAGE, 0x1000, HV_STATUS_SUCCESS},
	{HVCALL_POST_MESSAGE, LAST_BLOCK, HV_STATUS_SUCCESS},
	{HVCALL_POST_MESSAGE, LAST_BLOCK + 8, HV_STATUS_INVALID_ALIGNMENT}, /* leaves RAM */
	{HVCALL_POST_MESSAGE, 0x1004, HV_STATUS_INVALID_ALIGNMENT},
	{HVCALL_POST_MESSAGE, 0x1f08, HV_STATUS_INVALID_ALIGNMENT}, /* leaves the page */
	{HVCALL_POST_MESSAGE, RAM_BYTES, HV_STATUS_INVALID_ALIGNMENT},
	{HVCALL_POST_MESSAGE, UINT64_MAX - 255, HV_STATUS_INVALID_ALIGNMENT},
	{HVCALL_POST_MESSAGE, 0x2000, HV_STATUS_INVALID_PARAMETER}, /* all zeros */
	{HVCALL_POST_MESSAGE | FAST, 0x1000, HV_STATUS_INVALID_HYPERCALL_INPUT},
	{HVCALL_SIGNAL_EVENT | FAST, EVENTS_ID, HV_STATUS_SUCCESS},
	{HVCALL_SIGNAL_EVENT, EVENTS_ID, HV_STATUS_SUCCESS},
	{HVCALL_SIGNAL_EVENT | FAST, EVENTS_ID | FLAG(5), HV_STATUS_INVALID_SYNIC_STATE},
	{HVCALL_SIGNAL_EVENT | FAST, EVENTS_ID | FLAG(9), HV_STATUS_INVALID_PARAMETER},
	{HVCALL_SIGNAL_EVENT | FAST, EVENTS_ID | 1ull << 48, HV_STATUS_INVALID_HYPERCALL_INPUT},
	{HVCALL_SIGNAL_EVENT | FAST, EVENTS_ID | 1ull << 24, HV_STATUS_INVALID_HYPERCALL_INPUT},
	{HVCALL_SIGNAL_EVENT | FAST, MESSAGES_ID, HV_STATUS_INVALID_PORT_ID},
	{HVCALL_SIGNAL_EVENT | FAST, 1, HV_STATUS_INVALID_CONNECTION_ID},
	{0x0069, 0, HV_STATUS_INVALID_HYPERCALL_CODE},
	{0x8001, 0, HV_STATUS_INVALID_HYPERCALL_CODE},
	{UINT64_MAX, UINT64_MAX, HV_STATUS_INVALID_HYPERCALL_CODE},
};

START_TEST(hypercalls_get_a_status)
{
	static const struct hv_port messages = {.connection_id = MESSAGES_ID,
						.message = take_message};
	static const struct hv_port events = {.connection_id = EVENTS_ID,
					      .event = take_event,
					      .flags = 9};
	const struct hv_input_post_message in = {.connection_id = MESSAGES_ID,
						 .message_type = 1,
						 .payload_bytes = 3,
						 .payload = "abc"};
	static struct hv_ports ports;
	struct mem mem;
	struct err e;

	ck_assert_int_eq(mem_init(&mem, RAM_BYTES, &e), 0);
	ck_assert_int_eq(mem_write(&mem, gpa(0x1000), &in, sizeof(in)), 0);
	ck_assert_int_eq(mem_write(&mem, gpa(LAST_BLOCK), &in, sizeof(in)), 0);
	memset(&ports, 0, sizeof(ports)); /* without fork() this is not the first run */
	ck_assert_int_eq(hv_ports_init(&ports), 0);
	ck_assert_int_eq(hv_ports_connect(&ports, &messages), 0);
	ck_assert_int_eq(hv_ports_connect(&ports, &events), 0);
	ck_assert_uint_eq(hv_kernel_hypercall(&ports, &mem, 7, calls[_i].control, calls[_i].input),
			  calls[_i].status);
	hv_ports_fini(&ports);
	mem_fini(&mem);
}
END_TEST

Suite *hv_kernel_suite(void)
{
	Suite *s = suite_create("hv_kernel");
	TCase *t = tcase_create("hv_kernel");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, what_kvm_offers_stays);
	tcase_add_test(t, what_kvm_lacks_goes_and_what_needs_it);
	tcase_add_test(t, what_was_named_must_be_there);
	tcase_add_test(t, avic_is_only_advice);
	tcase_add_test(t, leaves_say_what_is_on);
	tcase_add_test(t, no_bit_that_kvm_lacks);
	tcase_add_test(t, nesting_only_with_evmcs);
	tcase_add_test(t, debugger_only_with_syndbg);
	tcase_add_test(t, no_more_leaves_than_there_is_room);
	tcase_add_loop_test(t, hypercalls_get_a_status, 0, sizeof(calls) / sizeof(calls[0]));
	suite_add_tcase(s, t);
	return s;
}
