/* SPDX-License-Identifier: MIT */
/* Unit tests of reading apt's sources: both styles, and what is not a mirror of Debian. */
#include <check.h>

#include "lab/apt_sources.h"
#include "tests/unit/suites.h"

static struct apt_mirrors parse(const char *text, int deb822)
{
	struct apt_mirrors m = {0};
	struct err e;

	ck_assert_int_eq(apt_mirrors_parse(&m, text, deb822, &e), 0);
	return m;
}

START_TEST(test_one_line)
{
	struct apt_mirrors m =
		parse("# deb http://a.example/debian sid main\n"
		      "deb-src http://b.example/debian sid main\n"
		      "deb http://c.example/ubuntu noble main\n"
		      "deb\thttp://d.example/debian/ bookworm main\n"
		      "deb [arch=amd64 signed-by=/k.gpg] http://e.example/debian x main\n"
		      "deb http://d.example/debian/ bookworm-updates main\n"
		      "deb http://f.example/debian-security bookworm-security main\n"
		      "deb\n\ndeb [\ndeb [x=y",
		      0);

	ck_assert_uint_eq(m.count, 2);
	ck_assert_str_eq(m.mirror[0].uri, "http://d.example/debian/");
	ck_assert_ptr_null(m.mirror[0].signed_by);
	ck_assert_str_eq(m.mirror[1].uri, "http://e.example/debian");
	ck_assert_str_eq(m.mirror[1].signed_by, "/k.gpg");
	apt_mirrors_fini(&m);
}
END_TEST

START_TEST(test_deb822)
{
	struct apt_mirrors m = parse("Types: deb\n"
				     "# a comment\n"
				     "URIs: http://a.example/debian  http://b.example/debian\n"
				     "Suites: bookworm\n"
				     "Signed-By: /k.gpg\n"
				     "\n"
				     "Enabled: no\nURIs: http://c.example/debian\n"
				     " \n"
				     "uris:http://d.example/debian\r\n"
				     "Signed-By:\n"
				     " -----BEGIN PGP PUBLIC KEY BLOCK-----\n",
				     1);

	ck_assert_uint_eq(m.count, 3);
	ck_assert_str_eq(m.mirror[0].uri, "http://a.example/debian");
	ck_assert_str_eq(m.mirror[1].uri, "http://b.example/debian");
	ck_assert_str_eq(m.mirror[1].signed_by, "/k.gpg");
	ck_assert_str_eq(m.mirror[2].uri, "http://d.example/debian");
	ck_assert_ptr_null(m.mirror[2].signed_by);
	apt_mirrors_fini(&m);
}
END_TEST

START_TEST(test_empty)
{
	struct apt_mirrors m = parse("", 1);

	ck_assert_uint_eq(m.count, 0);
	apt_mirrors_fini(&m);
}
END_TEST

Suite *lab_apt_suite(void)
{
	Suite *s = suite_create("lab_apt");
	TCase *t = tcase_create("sources");

	tcase_add_test(t, test_one_line);
	tcase_add_test(t, test_deb822);
	tcase_add_test(t, test_empty);
	suite_add_tcase(s, t);
	return s;
}
