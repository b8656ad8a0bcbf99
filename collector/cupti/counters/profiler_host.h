// SPDX-License-Identifier: Apache-2.0
// What a chip can count, and how: metric names, passes, and the images that program its counters.
// Needs neither GPU nor driver.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

using ByteImage = std::vector<std::uint8_t>;

// The chips that this CUPTI knows, such as "GH100".
std::vector<std::string> known_chips(const ProfilerHostApi& api);

// A cuptiXxx parameter block that says its own size.
template <class Parameters>
Parameters cupti_parameters(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

class ProfilerHost {
 public:
  // What reads the counters: a kernel's or a program's range, or a clock that samples a whole GPU.
  enum class Reader { ranges, sampling };

  // `availability`: of the GPU at hand, from cuptiProfilerGetCounterAvailability; empty: every
  // counter that the chip has. Throws std::runtime_error for a chip that CUPTI does not know.
  ProfilerHost(const ProfilerHostApi& api, std::string chip, ByteImage availability = {},
               Reader reader = Reader::ranges);
  ~ProfilerHost();
  ProfilerHost(ProfilerHost&&) noexcept;

  const std::string& chip() const { return chip_; }

  // What reads these metrics in one run of a kernel, or in several; empty: this chip lacks one of
  // them, or cannot read them together.
  ByteImage config_image(std::span<const std::string> metrics) const;
  // How often a kernel must run for it. Throws std::runtime_error.
  std::size_t passes(const ByteImage& config) const;

  // Values of `metrics`, in their order, of one range (or sample) of a decoded counter data
  // image. Throws std::runtime_error.
  std::vector<double> evaluate(const ByteImage& counter_data, std::size_t range,
                               std::span<const std::string> metrics) const;

 private:
  class Object;

  ProfilerHostApi api_;
  std::string chip_;
  ByteImage availability_;
  Reader reader_;
  std::unique_ptr<Object> evaluator_;
};

}  // namespace mansard::collector
