// SPDX-License-Identifier: Apache-2.0
// A CuptiSource with a fake CUPTI.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "collector/cupti/cupti_source.h"
#include "tests/collector/cupti/fake_cupti.h"
#include "tests/collector/cupti/fake_records.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::test {

class SourceTest : public testing::Test {
 protected:
  SourceTest() { fake = &cupti; }
  ~SourceTest() override { fake = nullptr; }

  std::unique_ptr<collector::CuptiSource> make_waiting(
      collector::CuptiSource::Settings settings = {}) {
    return std::make_unique<collector::CuptiSource>(
        fake_api(), static_cast<std::int64_t>(kSessionStart_ns),
        [this](const std::string& s) { complaints.push_back(s); }, std::move(settings));
  }
  std::unique_ptr<collector::CuptiSource> make() {
    auto source = make_waiting();
    source->window_opens();
    return source;
  }
  store::Profile drained(collector::CuptiSource& source) {
    {
      store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
      while (source.drain(writer, nobody_waits)) continue;
      writer.finish(store::RecordingState::complete);
    }
    return store::load_profile(scratch / "a.sqlite");
  }

  Scratch scratch;
  const std::atomic<int> nobody_waits = 0;
  FakeCupti cupti;
  std::vector<std::string> complaints;
};

}  // namespace mansard::test
