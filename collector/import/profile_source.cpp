// SPDX-License-Identifier: Apache-2.0
#include "collector/import/profile_source.h"

namespace mansard::collector {

ProfileSource profile_source(const store::SessionInfo& session) {
  if (session.state == store::RecordingState::foreign) return ProfileSource::nsight_systems;
  if (session.mansard_version.ends_with(kFromPyTorchProfiler)) {
    return ProfileSource::pytorch_profiler;
  }
  if (session.mansard_version.ends_with(kFromNsightCompute)) return ProfileSource::nsight_compute;
  return ProfileSource::mansard;
}

std::string_view how_to_get_work(ProfileSource source) {
  switch (source) {
    case ProfileSource::mansard:
      return "Profile more steps, so that hardware counters are read (--counters roofline reads "
             "them "
             "from the start), or annotate NVTX ranges.";
    case ProfileSource::nsight_systems:
      return "Add counters from Nsight Compute (`mansard import run.sqlite counters.csv -o "
             "with_counters.sqlite`), or annotate NVTX ranges and record with nsys again.";
    case ProfileSource::pytorch_profiler:
      return "Add counters from Nsight Compute (`mansard import trace.json counters.csv -o "
             "with_counters.sqlite`), or annotate record_function() ranges and trace again.";
    case ProfileSource::nsight_compute:
      return "Collect the metrics listed by `mansard counters` with ncu, and import the table "
             "again.";
  }
  return "";
}

}  // namespace mansard::collector
