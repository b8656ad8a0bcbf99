// SPDX-License-Identifier: Apache-2.0
#include "analyzer/machine_choice.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

roofline::MachineModel machine(const char* gpu_name, const char* uuid, roofline::Origin origin,
                               const char* name) {
  roofline::MachineModel m = test_machine();
  m.name = name;
  m.provenance.origin = origin;
  m.provenance.host = name;
  m.provenance.source = name;
  m.devices[0].device.name = gpu_name;
  m.devices[0].device.uuid = uuid;
  return m;
}

store::Profile on_test_gpu() { return ProfileBuilder().build(); }

TEST(MachineChoice, SameGpuBeforeSameProduct) {
  const analysis::MachineChoice choice =
      analysis::choose_gpu(on_test_gpu(),
                           {machine("Test GPU", "GPU-9", roofline::Origin::measured, "other card"),
                            machine("Renamed", "GPU-1", roofline::Origin::measured, "this card")},
                           0);
  EXPECT_EQ(choice.provenance.host, "this card");
  EXPECT_TRUE(choice.note.empty()) << choice.note;
}

TEST(MachineChoice, SameProductWithANote) {
  const analysis::MachineChoice choice = analysis::choose_gpu(
      on_test_gpu(), {machine("Test GPU", "GPU-9", roofline::Origin::measured, "elsewhere")}, 0);
  ASSERT_TRUE(choice.device.has_value());
  EXPECT_NE(choice.note.find("another Test GPU (GPU-9 on elsewhere)"), std::string::npos);
}

TEST(MachineChoice, MeasuredBeforePublished) {
  const analysis::MachineChoice choice =
      analysis::choose_gpu(on_test_gpu(),
                           {machine("Test GPU", "", roofline::Origin::datasheet, "a sheet"),
                            machine("Test GPU", "", roofline::Origin::measured, "a measurement")},
                           0);
  EXPECT_EQ(choice.provenance.host, "a measurement");
}

TEST(MachineChoice, PublishedFiguresHaveANote) {
  const analysis::MachineChoice choice = analysis::choose_gpu(
      on_test_gpu(), {machine("Test GPU", "", roofline::Origin::datasheet, "a sheet")}, 0);
  EXPECT_NE(choice.note.find("published figures for Test GPU (a sheet)"), std::string::npos);
}

TEST(MachineChoice, DatasheetIsTheLastChoice) {
  ASSERT_FALSE(roofline::datasheet_models().empty());
  const kernels::DeviceInfo& known = roofline::datasheet_models().front().devices.front().device;
  store::Profile profile = on_test_gpu();
  profile.gpus[0].name = known.name;
  const analysis::MachineChoice choice = analysis::choose_gpu(profile, {}, 0);
  ASSERT_TRUE(choice.device.has_value());
  EXPECT_EQ(choice.device->device.name, known.name);
  EXPECT_EQ(choice.provenance.origin, roofline::Origin::datasheet);
  EXPECT_NE(choice.note.find("published figures"), std::string::npos);
}

TEST(MachineChoice, WithoutModelNoDevice) {
  const analysis::MachineChoice choice = analysis::choose_gpu(
      on_test_gpu(), {machine("Other GPU", "GPU-9", roofline::Origin::measured, "m")}, 0);
  EXPECT_FALSE(choice.device.has_value());
  EXPECT_NE(choice.note.find("No machine model for Test GPU"), std::string::npos);
}

TEST(MachineChoice, ProfileWithoutGpuNameUsesTheOnlyModel) {
  store::Profile profile = on_test_gpu();
  profile.gpus.clear();
  const roofline::MachineModel one = machine("Some GPU", "GPU-9", roofline::Origin::measured, "m");
  EXPECT_NE(analysis::choose_gpu(profile, {one}, 0).note.find("assuming Some GPU, the only GPU"),
            std::string::npos);
  const roofline::MachineModel published =
      machine("Some GPU", "", roofline::Origin::datasheet, "a sheet");
  const std::string note = analysis::choose_gpu(profile, {published}, 0).note;
  EXPECT_NE(note.find("machine models. Ceilings are published figures"), std::string::npos) << note;
  EXPECT_FALSE(analysis::choose_gpu(profile, {one, one}, 0).device.has_value());
}

// The user of a profile by Mansard has the program and the machine. The user of another tool's file
// may have neither, so notes must not assume them.
TEST(MachineChoice, NotesDependOnTheToolOfTheProfile) {
  const std::vector<roofline::MachineModel> sheet = {
      machine("Test GPU", "", roofline::Origin::datasheet, "a sheet")};
  const std::vector<roofline::MachineModel> nothing;
  for (const auto& machines : {sheet, nothing}) {
    store::Profile profile = on_test_gpu();
    EXPECT_NE(
        analysis::choose_gpu(profile, machines, 0)
            .note.find("run `mansard characterize -o machine.json` on a machine with this GPU"),
        std::string::npos);
    for (const bool imported : {false, true}) {
      profile.session.state =
          imported ? store::RecordingState::complete : store::RecordingState::foreign;
      profile.session.imported_from = imported ? "/tmp/trace.json" : "";
      const std::string note = analysis::choose_gpu(profile, machines, 0).note;
      EXPECT_EQ(note.find("characterize"), std::string::npos) << note;
      EXPECT_NE(note.find("If you have a machine model that was measured on a GPU of this type"),
                std::string::npos)
          << note;
    }
  }
  store::Profile profile = on_test_gpu();
  EXPECT_NE(analysis::choose_host(profile, {}).note.find("on a machine with this CPU"),
            std::string::npos);
  profile.session.state = store::RecordingState::foreign;
  EXPECT_EQ(analysis::choose_host(profile, {}).note.find("characterize"), std::string::npos);
  profile.gpus.clear();
  EXPECT_NE(analysis::choose_gpu(profile, {}, 0).note.find("If you know the GPU"),
            std::string::npos);
}

TEST(MachineChoice, UsesTheBusiestDevice) {
  store::Profile profile = on_test_gpu();
  profile.gpus.push_back(profile.gpus[0]);
  profile.gpus[1].id = 1;
  profile.gpus[1].uuid = "GPU-2";
  const std::vector<roofline::MachineModel> machines = {
      machine("Test GPU", "GPU-1", roofline::Origin::measured, "first"),
      machine("Test GPU", "GPU-2", roofline::Origin::measured, "second")};
  EXPECT_EQ(analysis::choose_gpu(profile, machines, 0).provenance.host, "first");
  EXPECT_EQ(analysis::choose_gpu(profile, machines, 1).provenance.host, "second");

  // analyze_run() uses the device with the most kernel time.
  store::KernelRecord kernel;
  kernel.start_ns = 100;
  kernel.end_ns = 110;
  profile.kernels = {kernel, kernel};
  profile.kernels[1].device_id = 1;
  profile.kernels[1].end_ns = 120;
  EXPECT_EQ(analysis::analyze_run(profile, machines).machine_provenance.host, "second");
}

TEST(MachineChoice, HostByCpuNameSameHostFirst) {
  roofline::MachineModel other = test_machine();
  other.name = other.provenance.host = "other";
  other.devices[1].device.uuid = "otherhost";
  const store::Profile profile = on_test_gpu();
  EXPECT_EQ(analysis::choose_host(profile, {other, test_machine()}).provenance.host, "testhost");
  const analysis::MachineChoice twin = analysis::choose_host(profile, {other});
  ASSERT_TRUE(twin.device.has_value());
  EXPECT_NE(twin.note.find("another machine with Test CPU (otherhost)"), std::string::npos);
  store::Profile elsewhere = profile;
  elsewhere.session.cpu_name = "Other CPU";
  EXPECT_FALSE(analysis::choose_host(elsewhere, {other}).device.has_value());
}

}  // namespace
}  // namespace mansard::test
