// SPDX-License-Identifier: Apache-2.0
// A translator whose rows can be read back.
#pragma once

#include <gtest/gtest.h>

#include "collector/cupti/activity_translator.h"
#include "tests/collector/cupti/fake_records.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::test {

inline std::string name_of_call(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (id == 1) return runtime ? "cudaLaunchKernel_v7000" : "cuLaunchKernel";
  return runtime ? "cudaMalloc_v3020" : "cuInit";
}

class Translator : public ::testing::Test {
 protected:
  template <class... Records>
  store::Profile translate(const Records&... records) {
    {
      store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
      (translator.translate(base(records), writer), ...);
      writer.finish(store::RecordingState::complete);
    }
    return store::load_profile(scratch / "a.sqlite");
  }

  Scratch scratch;
  collector::ActivityTranslator translator{static_cast<std::int64_t>(kSessionStart_ns),
                                           name_of_call};
};

}  // namespace mansard::test
