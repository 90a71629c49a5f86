/* SPDX-License-Identifier: MIT */
/* Choosing among the features: defaults, a list of names, and the check that a choice works. */
#include "hyperv/hv_feature.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hyperv/hv.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LINE_BYTES    80

/* Which HV_OP_ bits a host has. */
static uint8_t ops_of(const struct hv_host_ops *ops)
{
	uint8_t has = 0;

	has |= ops->irq ? HV_OP_IRQ : 0;
	has |= ops->guest_tsc ? HV_OP_GUEST_TSC : 0;
	has |= ops->timer_arm && ops->timer_disarm ? HV_OP_TIMER : 0;
	has |= ops->crash ? HV_OP_CRASH : 0;
	has |= ops->xmm_read ? HV_OP_XMM : 0;
	has |= ops->vp_runtime_100ns ? HV_OP_RUNTIME : 0;
	has |= ops->tsc_invariant ? HV_OP_TSC_INVARIANT : 0;
	has |= ops->start_vp && ops->apic_id ? HV_OP_START_VP : 0;
	return has;
}

void hv_features_default(struct hv_features *set, enum hv_mode mode, const struct hv_host_ops *ops)
{
	uint8_t has = mode == HV_MODE_USER ? ops_of(ops) : UINT8_MAX;

	/*
	 * The version is the interface's own and not that of a Windows build, so that nobody takes a
	 * bug of ours for one of theirs. Linux only prints it.
	 */
	*set = (struct hv_features){.vendor_id = "Microsoft Hv", .version_minor = 1};
	/* A feature comes after those that it needs. */
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		const struct hv_feature_row *row = hv_feature_row(f);

		if (row->default_for & mode && !(row->host_ops & ~has) && !(row->needs & ~set->on))
			set->on |= HV_FEATURE_BIT(f);
	}
}

static int bad_value(char *msg, size_t size, const char *name, const char *want)
{
	snprintf(msg, size, "%s needs %s", name, want);
	return -EINVAL;
}

/* A whole number, decimal or 0x, in [min, max]. */
static bool number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end && *out >= min && *out <= max;
}

static int set_vendor(struct hv_features *set, const char *value, char *msg, size_t size)
{
	size_t len = value ? strlen(value) : 0;

	if (!len || len > HV_VENDOR_ID_BYTES)
		return bad_value(msg, size, "vendor-id", "=TEXT of 1 to 12 characters");
	memset(set->vendor_id, 0, sizeof(set->vendor_id));
	memcpy(set->vendor_id, value, len);
	return 0;
}

enum version_field { BUILD, MAJOR, MINOR, SPACK, SBRANCH, SNUMBER };

static const struct {
	const char *name;
	uint32_t max;
} versions[] = {
	[BUILD] = {"version-id-build", UINT32_MAX},    [MAJOR] = {"version-id-major", UINT16_MAX},
	[MINOR] = {"version-id-minor", UINT16_MAX},    [SPACK] = {"version-id-spack", UINT32_MAX},
	[SBRANCH] = {"version-id-sbranch", UINT8_MAX}, [SNUMBER] = {"version-id-snumber", 0xffffff},
};

static void put_version(struct hv_features *set, enum version_field field, uint32_t v)
{
	switch (field) {
	case BUILD:
		set->version_build = v;
		break;
	case MAJOR:
		set->version_major = v;
		break;
	case MINOR:
		set->version_minor = v;
		break;
	case SPACK:
		set->version_service_pack = v;
		break;
	case SBRANCH:
		set->version_service_branch = v;
		break;
	case SNUMBER:
		set->version_service_number = v;
		break;
	}
}

static int set_version(struct hv_features *set, unsigned field, const char *value, char *msg,
		       size_t size)
{
	char want[LINE_BYTES];
	uint64_t v;

	if (!number(value, 0, versions[field].max, &v)) {
		snprintf(want, sizeof(want), "=N, 0 to %u", versions[field].max);
		return bad_value(msg, size, versions[field].name, want);
	}
	put_version(set, field, v);
	return 0;
}

static int switch_feature(struct hv_features *set, enum hv_feature f, bool on, const char *value,
			  char *msg, size_t size)
{
	uint64_t n;

	if (f == HV_FEATURE_BASE && !on) {
		snprintf(msg, size, "base can't be turned off");
		return -EINVAL;
	}
	if (f == HV_FEATURE_SPINLOCKS && on) {
		if (!number(value, 1, HV_SPIN_RETRY_NEVER_NOTIFY - 1, &n))
			return bad_value(msg, size, "spinlocks", "=N, 1 to 4294967294");
		set->spin_retries = n;
	} else if (value) {
		snprintf(msg, size, "%s%s takes no value", on ? "" : "-", hv_feature_row(f)->name);
		return -EINVAL;
	}
	if (on)
		set->on |= HV_FEATURE_BIT(f);
	else
		set->on &= ~HV_FEATURE_BIT(f);
	return 0;
}

/* One item of a list, of which value (after '=') has been cut off. */
static int apply(struct hv_features *set, const char *name, bool minus, const char *value,
		 char *msg, size_t size)
{
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		if (!strcmp(name, hv_feature_row(f)->name))
			return switch_feature(set, f, !minus, value, msg, size);
	}
	if (!minus && !value && !strcmp(name, "none")) {
		set->on = HV_FEATURE_BIT(HV_FEATURE_BASE);
		return 0;
	}
	if (!minus && !strcmp(name, "vendor-id"))
		return set_vendor(set, value, msg, size);
	for (unsigned i = 0; i < ARRAY_SIZE(versions) && !minus; i++) {
		if (!strcmp(name, versions[i].name))
			return set_version(set, i, value, msg, size);
	}
	snprintf(msg, size, "no Hyper-V feature '%s'", name);
	return -EINVAL;
}

int hv_features_parse(struct hv_features *set, const char *list, char *msg, size_t size)
{
	struct hv_features next = *set;

	while (*list) {
		char item[LINE_BYTES];
		size_t len = strcspn(list, ",");
		bool sign = *list == '+' || *list == '-', minus = *list == '-';
		char *value;
		int ret;

		if (len == 0 || len >= sizeof(item)) {
			snprintf(msg, size,
				 len ? "'%.20s...' is no Hyper-V feature"
				     : "nothing between two commas",
				 list);
			return -EINVAL;
		}
		memcpy(item, list, len);
		item[len] = 0;
		value = strchr(item, '=');
		if (value)
			*value++ = 0;
		ret = apply(&next, item + sign, minus, value, msg, size);
		if (ret)
			return ret;
		list += len;
		list += *list == ',';
	}
	*set = next;
	return 0;
}

static int check_feature(const struct hv_features *set, enum hv_feature f, enum hv_mode mode,
			 uint8_t host_has, char *msg, size_t size)
{
	const struct hv_feature_row *row = hv_feature_row(f);
	const char *who = mode == HV_MODE_USER ? "user" : "kernel";

	if (!(row->modes & mode)) {
		snprintf(msg, size, "%s is not possible in %s mode: %s", row->name, who,
			 mode == HV_MODE_USER ? row->not_user : "KVM does not have it");
		return -EINVAL;
	}
	for (unsigned need = 0; need < HV_FEATURES; need++) {
		if (row->needs & ~set->on & HV_FEATURE_BIT(need)) {
			snprintf(msg, size, "%s needs %s, which is off", row->name,
				 hv_feature_row(need)->name);
			return -EINVAL;
		}
	}
	if (row->host_ops & ~host_has) {
		snprintf(msg, size, "%s is not possible on this host", row->name);
		return -EINVAL;
	}
	return 0;
}

int hv_features_check(const struct hv_features *set, enum hv_mode mode,
		      const struct hv_host_ops *ops, char *msg, size_t size)
{
	uint8_t host_has = mode == HV_MODE_USER ? ops_of(ops) : UINT8_MAX;

	for (unsigned f = 0; f < HV_FEATURES; f++) {
		int ret = 0;

		if (hv_features_have(set, f))
			ret = check_feature(set, f, mode, host_has, msg, size);
		if (ret)
			return ret;
	}
	return 0;
}

/* Appends "leaf.register bits" for each bit, as in " 3.EAX.1,9". */
static void print_bits(char *text, size_t size, const char *reg, uint32_t bits)
{
	const char *sep = ".";

	if (!bits)
		return;
	snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? " " : "", reg);
	for (unsigned b = 0; b < 32; b++) {
		if (!(bits >> b & 1))
			continue;
		snprintf(text + strlen(text), size - strlen(text), "%s%u", sep, b);
		sep = ",";
	}
}

static void print_needs(char *text, size_t size, uint32_t needs)
{
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		if (needs & HV_FEATURE_BIT(f))
			snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? "," : "",
				 hv_feature_row(f)->name);
	}
}

static const char *mode_text(const struct hv_feature_row *row, enum hv_mode mode)
{
	return !(row->modes & mode) ? "-" : row->default_for & mode ? "on" : "off";
}

void hv_features_help(FILE *out)
{
	fprintf(out, "%-16s %-5s %-6s %-25s %-17s %s\n", "feature", "user", "kernel",
		"CPUID (0x4000000n)", "MSRs (0x40000nnn)", "needs");
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		const struct hv_feature_row *row = hv_feature_row(f);
		char bits[LINE_BYTES] = "", needs[LINE_BYTES] = "";

		print_bits(bits, sizeof(bits), "3.EAX", row->features_eax);
		print_bits(bits, sizeof(bits), "3.EBX", row->features_ebx);
		print_bits(bits, sizeof(bits), "3.EDX", row->features_edx);
		print_bits(bits, sizeof(bits), "4.EAX", row->hints_eax);
		print_needs(needs, sizeof(needs), row->needs);
		fprintf(out, "%-16s %-5s %-6s %-25s %-17s %s\n    %s\n", row->name,
			mode_text(row, HV_MODE_USER), mode_text(row, HV_MODE_KERNEL), bits,
			row->msrs ? row->msrs : "", needs, row->help);
	}
	fputs("on, off: what the mode starts with; -: it does not have it\n"
	      "Values: spinlocks=N, vendor-id=TEXT (Linux wants \"Microsoft Hv\"), and\n"
	      "version-id-build=N, -major, -minor, -spack, -sbranch, -snumber (leaf 0x40000002)\n",
	      out);
}
