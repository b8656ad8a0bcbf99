// SPDX-License-Identifier: Apache-2.0
// Ranges with the C helper, in strict C99. Exits with 1 if a text does not follow the grammar,
// which it checks with and without a tool.
#include "kernels/annotation/annotate.h"

static int failures = 0;

static void expect(const MansardWork* work, const char* wanted) {
  char text[MANSARD_MOST_TEXT];
  mansard_work_text(work, text);
  if (strcmp(text, wanted) == 0) return;
  fprintf(stderr, "made '%s', wanted '%s'\n", text, wanted);
  ++failures;
}

static void expect_number(const char* localized, const char* wanted) {
  char number[64];
  snprintf(number, sizeof number, "%s", localized);
  mansard_use_decimal_point(number);
  if (strcmp(number, wanted) == 0) return;
  fprintf(stderr, "'%s' became '%s', wanted '%s'\n", localized, number, wanted);
  ++failures;
}

static void expect_cut(void) {
  char name[2 * MANSARD_MOST_NAME];
  char text[MANSARD_MOST_TEXT];
  memset(name, 'x', sizeof name);
  memcpy(name + MANSARD_MOST_NAME - 1, "\xc3\xa9", 2);  // a character across the truncation point
  name[sizeof name - 1] = '\0';
  const MansardWork work = {.name = name, .flop = 5};
  mansard_work_text(&work, text);
  if (strcmp(text + MANSARD_MOST_NAME - 1, " | flop=5") == 0) return;
  fprintf(stderr, "a long name became '%s'\n", text);
  ++failures;
}

int main(void) {
  const MansardWork work = {.name = "fprop",
                            .flop = 1234567890123456,
                            .bytes = {{"hbm", 4.03e8}, {"l2", 0.5}},
                            .precision = "bf16",
                            .operation_class = "gemm",
                            .shape = "8192 x 4096"};
  expect(&work,
         "fprop | flop=1234567890123456 hbm=403000000 l2=0.5 precision=bf16 class=gemm "
         "shape=8192_x_4096");
  const MansardWork plain = {.name = "no work"};
  expect(&plain, "no work");
  const MansardWork nonsense = {.name = "odd", .flop = -1, .bytes = {{"hbm", 1e300}}};
  expect(&nonsense, "odd");
  expect_number("1,5e+20", "1.5e+20");
  expect_number(
      "1\xd9\xab"
      "25",
      "1.25");  // the Arabic decimal separator
  expect_cut();

  mansard_push_work(&work);
  mansard_push_work(&plain);
  mansard_pop_work();
  mansard_pop_work();
  return failures == 0 ? 0 : 1;
}
