// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/training_annotation.h"

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include <gtest/gtest.h>

#include "kernels/annotation/operation_work.h"

namespace mansard::kernels {
namespace {

TensorNumerics some_numerics() {
  TensorNumerics n;
  n.step = 100;
  n.layer = "layers.3.attention.in";
  n.tensor = "dy";
  n.gemm = "wgrad";
  n.format = Precision::nvfp4;
  n.elements = 8'388'608;
  n.amax = 0.1;
  n.rms = 1.0 / 3;
  n.underflow = 1e-300;
  n.saturated = 0;
  n.snr_db = -19.8;
  n.shares = {{0.25, 0.5, 0.25}};
  return n;
}

TEST(TrainingAnnotation, TextOfNumerics) {
  TensorNumerics n = some_numerics();
  n.rms = 0.5;
  n.underflow = 0.25;
  EXPECT_EQ(to_text(n),
            "layers.3.attention.in dy | step=100 gemm=wgrad format=nvfp4 elements=8388608 amax=0.1 "
            "rms=0.5 underflow=0.25 saturated=0 snr_db=-19.8 e4m3=0.25 e5m2=0.5 bf16=0.25");
  n.format.reset();
  n.underflow.reset();
  n.saturated.reset();
  n.snr_db.reset();
  n.shares.reset();
  EXPECT_EQ(to_text(n),
            "layers.3.attention.in dy | step=100 gemm=wgrad elements=8388608 amax=0.1 rms=0.5");
}

TEST(TrainingAnnotation, TextOfSteps) {
  const TrainingProgress step{100, 413'696, 5.5, 6.25, 0.0003, 0.75};
  EXPECT_EQ(to_text(step),
            "training step | step=100 tokens=413696 loss=5.5 validation_loss=6.25 "
            "learning_rate=3e-04 gradient_norm=0.75");
}

TEST(TrainingAnnotation, RoundTripIsExact) {
  TensorNumerics n = some_numerics();
  EXPECT_EQ(parse_tensor_numerics(to_text(n)), n);
  for (const std::string layer : {"a | b", "layers 3", "x |", "step=1 | step=2", "\n", "é", "="}) {
    n.layer = layer;
    EXPECT_EQ(parse_tensor_numerics(to_text(n)), n) << layer;
  }
  n.shares.reset();
  n.snr_db.reset();
  n.underflow.reset();
  n.saturated.reset();
  n.format.reset();
  EXPECT_EQ(parse_tensor_numerics(to_text(n)), n);
  TrainingProgress step{3, 1000, 1.0 / 7, std::nullopt, 1e-9, 12345.678};
  EXPECT_EQ(parse_training_step(to_text(step)), step);
  step.validation_loss = 2.0 / 3;
  EXPECT_EQ(parse_training_step(to_text(step)), step);
}

// A run that diverges has such numbers, and must not read as a loss of 0.
TEST(TrainingAnnotation, NumbersThatAreNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TensorNumerics n = some_numerics();
  n.amax = kInfinity;
  n.rms = std::nan("");
  n.snr_db = -kInfinity;
  EXPECT_EQ(to_text(n).find("amax"), std::string::npos);
  const auto parsed = parse_tensor_numerics(to_text(n));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(std::isnan(parsed->amax));
  EXPECT_TRUE(std::isnan(parsed->rms));
  EXPECT_EQ(parsed->snr_db, std::nullopt);
  const auto step =
      parse_training_step(to_text(TrainingProgress{1, 2, std::nan(""), {}, 0, kInfinity}));
  ASSERT_TRUE(step);
  EXPECT_TRUE(std::isnan(step->loss));
  EXPECT_EQ(step->learning_rate, 0);
  EXPECT_TRUE(std::isnan(step->gradient_norm));
}

TEST(TrainingAnnotation, OtherTexts) {
  for (const char* text :
       {"", " | ", "dy", "a dy", "a dy | ", " dy | step=1 gemm=dgrad elements=2",
        "dy | step=1 gemm=dgrad elements=2", "a dz | step=1 gemm=dgrad elements=2",
        "a dy | gemm=dgrad elements=2", "a dy | step=-1 gemm=dgrad elements=2",
        "a dy | step=1 elements=2", "a dy | step=1 gemm=dgrad",
        "a dy | step=1 gemm=dgrad elements=0", "a dy | step=1x gemm=dgrad elements=2",
        "a dy | step=1 gemm=dgrad elements=2.5",
        "a dy | step=99999999999999999999 gemm=dgrad elements=2",
        "a dy | step=1 gemm=all elements=2", "fprop x | flop=1 hbm=2 precision=bf16"}) {
    EXPECT_EQ(parse_tensor_numerics(text), std::nullopt) << text;
  }
  for (const char* text : {"", " | ", "training step", "training step | ", "step | step=1 tokens=2",
                           "training step | step=1", "training step | tokens=1",
                           "training step | step=-1 tokens=1", "training step |step=1 tokens=1"}) {
    EXPECT_EQ(parse_training_step(text), std::nullopt) << text;
  }
}

TEST(TrainingAnnotation, HostileValuesAreUnknown) {
  const auto n = parse_tensor_numerics(
      "a x |  step=7 = =3 gemm elements=5 gemm=fprop amax=nan rms=-1 underflow=1.5 saturated=inf "
      "snr_db=1e999 format=fp3 e4m3=1 e5m2=0 new=1 ");
  ASSERT_TRUE(n);
  EXPECT_EQ(n->step, 7);
  EXPECT_EQ(n->elements, 5);
  EXPECT_TRUE(std::isnan(n->amax));
  EXPECT_TRUE(std::isnan(n->rms));
  EXPECT_EQ(n->underflow, std::nullopt);
  EXPECT_EQ(n->saturated, std::nullopt);
  EXPECT_EQ(n->snr_db, std::nullopt);
  EXPECT_EQ(n->format, std::nullopt);
  EXPECT_EQ(n->shares, std::nullopt) << "the third is missing";
}

TEST(TrainingAnnotation, HasNoWork) {
  EXPECT_EQ(work_of_text(to_text(some_numerics())), std::nullopt);
  EXPECT_EQ(work_of_text(to_text(TrainingProgress{1, 2, 3, 4.0, 5, 6})), std::nullopt);
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(TrainingAnnotation, IgnoresTheLocale) {
  const TensorNumerics n = some_numerics();
  const std::string text = to_text(n);
  const std::locale previous =
      std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  // That of C is another one; not every machine has a locale with a comma.
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const std::string localized = to_text(n);
  const auto parsed = parse_tensor_numerics(text);
  std::locale::global(previous);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(localized, text);
  EXPECT_EQ(parsed, n);
}

}  // namespace
}  // namespace mansard::kernels
