// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/fixture.h"

#include <algorithm>

namespace mansard::fixture {
namespace {

roofline::Ceiling compute(Precision precision, double flop_per_s, double fraction,
                          const char* pattern) {
  roofline::Ceiling c;
  c.id = std::string(info(precision).key) + "_mma";
  c.role = kernels::KernelRole::compute_ceiling;
  c.precision = precision;
  c.unit = "FLOP/s";
  c.value = flop_per_s;
  c.spread = 0.004;
  c.data_pattern = pattern;
  c.clock_hz = 1.755e9;
  c.power_w = 690;
  c.fraction_of_theory_at_clock = fraction;
  c.kernel = c.id;
  c.source = "measured";
  return c;
}

roofline::Ceiling bandwidth(MemoryLevel level, double bytes_per_s, const char* kernel) {
  roofline::Ceiling c;
  c.id = std::string(kernel) + "@" + std::string(info(level).key);
  c.role = kernels::KernelRole::bandwidth_ceiling;
  c.level = level;
  c.unit = "B/s";
  c.value = bytes_per_s;
  c.spread = 0.011;
  c.clock_hz = 1.98e9;
  c.kernel = kernel;
  c.source = "measured";
  return c;
}

struct Work {
  Precision precision;
  double tflop;
  double hbm_gb;
  double l2_gb;
};

// The work of one launch is `work` / `launches`. The SOL time is computed here instead of with
// speed_of_light(), so that an error there is detected by the tests of reports.
analysis::KernelRow row(const roofline::MachineModel& machine, const char* name,
                        const char* short_name, const char* operation_class, std::int64_t launches,
                        double time_s, std::optional<Work> work) {
  analysis::KernelRow r;
  r.name = name;
  r.short_name = short_name;
  r.operation_class = operation_class;
  r.grid = {132, 1, 1};
  r.block = {384, 1, 1};
  r.launches = launches;
  r.time_s = time_s;
  r.median_s = time_s / static_cast<double>(launches);
  r.min_s = 0.97 * r.median_s;
  r.max_s = 1.12 * r.median_s;
  r.work.launches = launches;
  if (!work) return r;

  const roofline::DeviceModel& device = machine.devices.front();
  r.origin = analysis::WorkOrigin::annotated;
  r.precision = work->precision;
  if (work->tflop > 0) r.work.flop[work->precision] = work->tflop * 1e12;
  r.work.bytes[MemoryLevel::hbm] = work->hbm_gb * 1e9;
  r.work.bytes[MemoryLevel::l2] = work->l2_gb * 1e9;
  const auto ceiling = [&](const auto& matches) {
    return std::ranges::find_if(device.ceilings, matches);
  };
  const auto consider = [&](double term_s, analysis::Bound bound, const roofline::Ceiling& c,
                            std::string label) {
    if (term_s <= r.sol.time_s) return;
    r.sol.time_s = term_s;
    r.sol.bound = bound;
    r.sol.ceiling = c.id;
    r.sol.bound_label = std::move(label);
  };
  for (const auto& [precision, flop] : r.work.flop) {
    const auto c =
        ceiling([p = precision](const roofline::Ceiling& x) { return x.precision == p; });
    r.sol.compute_s = flop / c->value;
    consider(r.sol.compute_s, analysis::Bound::compute, *c, std::string(info(precision).label));
  }
  for (const auto& [level, bytes] : r.work.bytes) {
    const auto c = ceiling([l = level](const roofline::Ceiling& x) { return x.level == l; });
    r.sol.bandwidth_s[level] = bytes / c->value;
    consider(bytes / c->value, analysis::Bound::bandwidth, *c, std::string(info(level).label));
  }
  const auto launch = ceiling([](const roofline::Ceiling& x) { return x.unit == "s"; });
  r.sol.launch_s = static_cast<double>(launches) * launch->value;
  consider(r.sol.launch_s, analysis::Bound::launch, *launch, "launch");
  r.cost_s = std::max(r.time_s, r.sol.launch_s);
  r.slowdown = r.cost_s / r.sol.time_s;
  return r;
}

}  // namespace

// Values: runs of public tools on one H200 SXM (wgmma probe, mixbench, gpu-benches, PyTorch copy).
roofline::MachineModel h200() {
  roofline::MachineModel model;
  model.name = "NVIDIA H200";
  model.provenance.date_utc = "2025-11-04T09:21:33Z";
  model.provenance.host = "dgx-04";
  model.provenance.driver_version = "580.95.05";
  model.provenance.cuda_version = "13.0";
  model.provenance.mansard_version = "0.1.0";
  model.provenance.command = "mansard characterize -o h200.json";
  roofline::DeviceModel device;
  device.device.target = kernels::Target::cuda;
  device.device.name = "NVIDIA H200";
  device.device.uuid = "GPU-5f0a4c1e-9d2b-47c3-8a63-2f1a90c2d7b4";
  device.device.compute_capability = 90;
  device.device.units = 132;
  device.device.boost_clock_hz = 1.98e9;
  device.device.memory_bytes = 150e9;
  device.device.l1_bytes = 256 * 1024;
  device.device.l2_bytes = 60.0 * 1024 * 1024;
  device.ceilings = {
      compute(Precision::fp8_e4m3, 1769e12, 1.0, "normal"),
      compute(Precision::bf16, 941e12, 1.0, "normal"),
      // Almost equal to BF16: their labels must be pushed apart.
      compute(Precision::int8, 942e12, 0, "normal"),
      compute(Precision::fp16, 763e12, 0, "normal"),
      compute(Precision::tf32, 415e12, 0, "normal"),
      compute(Precision::fp32, 60.2e12, 0.93, ""),
      compute(Precision::fp64, 31.4e12, 0.96, ""),
      bandwidth(MemoryLevel::shared, 28.4e12, "shared_read"),
      bandwidth(MemoryLevel::l2, 10.3e12, "l2_read"),
      bandwidth(MemoryLevel::hbm, 4.05e12, "hbm_copy"),
      bandwidth(MemoryLevel::pcie, 55.6e9, "pcie_copy"),
  };
  roofline::Ceiling launch;
  launch.id = "launch_stream";
  launch.role = kernels::KernelRole::overhead_ceiling;
  launch.overhead = kernels::Overhead::kernel_launch;
  launch.unit = "s";
  launch.value = 2.45e-6;
  launch.spread = 0.03;
  launch.kernel = launch.id;
  launch.source = "measured";
  device.ceilings.push_back(launch);
  const std::pair<double, double> sweep[] = {
      {0.5, 7.9}, {1, 9.2},  {2, 10.1}, {4, 10.3},  {6, 10.3},   {10, 9.6},  {15, 8.9},  {25, 8.9},
      {34, 4.4},  {48, 3.7}, {64, 3.4}, {128, 3.4}, {256, 3.45}, {512, 3.4}, {1024, 3.4}};
  for (const auto& [mib, tb_per_s] : sweep) {
    device.sweep.push_back({"l2_read", mib * 1024 * 1024, tb_per_s * 1e12});
    device.sweep.push_back({"latency_chase", mib * 1024, 1e-6 / tb_per_s, "s"});
  }
  model.devices.push_back(device);
  return model;
}

analysis::RunAnalysis training_step() {
  const roofline::MachineModel m = h200();
  analysis::RunAnalysis run;
  run.title = "llama-layer-bf16";
  run.profile.file = "llama-layer-bf16.sqlite";
  run.profile.session.state = store::RecordingState::complete;
  run.profile.session.start_utc_ns = 1762248093LL * 1'000'000'000;
  run.profile.session.command = "python train.py --layers 1 --steps 20";
  run.profile.session.host = "dgx-04";
  run.profile.session.pid = 41207;
  run.profile.session.driver_version = "580.95.05";
  run.profile.session.mansard_version = "0.1.0";
  run.machine = m.devices.front();
  run.machine_provenance = m.provenance;
  run.rows = {
      row(m,
          "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, "
          "int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90Tma"
          "GmmaWarpSpecialized<4>, cute::tuple<cute::C<128>, cute::C<256>, cute::C<64>>>>>(Params)",
          "device_kernel", "gemm", 60, 38.2e-3, Work{Precision::bf16, 28.9, 37.1, 183}),
      row(m, "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNT",
          "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNT", "gemm", 40, 21.7e-3,
          Work{Precision::bf16, 17.1, 22.5, 110}),
      row(m, "flash_bwd_dq_dk_dv_loop_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8>>",
          "flash_bwd_dq_dk_dv_loop_kernel", "attention", 20, 17.9e-3,
          Work{Precision::bf16, 8.8, 6.9, 46}),
      row(m, "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>(Flash_fwd_params)",
          "flash_fwd_kernel", "attention", 20, 6.1e-3, Work{Precision::bf16, 3.52, 2.4, 15}),
      row(m, "sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128",
          "sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128", "gemm", 20, 5.2e-3,
          Work{Precision::fp8_e4m3, 6.9, 5.8, 41}),
      row(m, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "collective", 20, 4.4e-3, std::nullopt),
      row(m, "void rms_norm_backward<__nv_bfloat16, float, 4096>(float*, const __nv_bfloat16*)",
          "rms_norm_backward", "norm", 40, 3.3e-3, Work{Precision::fp32, 0.0117, 10.9, 11.6}),
      row(m, "void quantize_rowwise_e4m3<256>(__nv_bfloat16 const*, __nv_fp8_e4m3*, float*)",
          "quantize_rowwise_e4m3", "quantize", 60, 3.1e-3, Work{Precision::fp32, 0.0061, 9.1, 9.4}),
      row(m, "void at::native::vectorized_elementwise_kernel<4, at::native::silu_mul>(int)",
          "vectorized_elementwise_kernel", "elementwise", 60, 2.2e-3,
          Work{Precision::fp32, 0.0034, 7.7, 7.8}),
      row(m, "void adamw_multi_tensor<float, 4>(TensorListMetadata<4>, float)",
          "adamw_multi_tensor", "optimizer", 400, 1.4e-3,
          Work{Precision::fp32, 0.00021, 0.42, 0.45}),
  };
  double total_s = 0;
  for (const analysis::KernelRow& r : run.rows) {
    store::KernelRecord record;
    record.start_ns = static_cast<std::int64_t>(1e9 * total_s);
    total_s += r.time_s;
    record.end_ns = static_cast<std::int64_t>(1e9 * total_s);
    record.demangled_name = static_cast<store::StringId>(run.profile.kernels.size()) + 1;
    run.profile.strings[record.demangled_name] = r.name;
    run.profile.kernels.push_back(record);
  }
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    analysis::KernelRow& r = run.rows[i];
    r.share = r.time_s / total_s;
    r.launch_indices = {static_cast<std::uint32_t>(i)};
    const double flop = r.work.flop.empty() ? 0 : r.work.flop.begin()->second;
    for (const auto& [level, bytes] : r.work.bytes) {
      if (flop > 0) run.points.push_back({i, level, flop / bytes, flop / r.time_s});
    }
  }
  run.busy_s = total_s;
  run.span_s = 1.09 * total_s;
  analysis::set_unit_values(run);
  // Tests change copies of the run: they must not share what was computed from its rows.
  run.step_memo = analysis::make_step_memo();
  run.launch_memo = analysis::make_launch_memo();
  return run;
}

std::string hostile_name() {
  return "a<b>& \"q\" 'r', |pipe| \\ `x` **y**\r\nz\t</script><!--<script>alert(1)</script>"
         "\x1b[31m \xff\xc3( \xed\xa0\x80 = \u8a08\u7b97 ]]>{{";
}

analysis::RunAnalysis hostile_run() {
  analysis::RunAnalysis run = training_step();
  const std::string name = hostile_name();
  run.title = name;
  run.notes = {name};
  run.profile.session.command = name;
  run.profile.session.host = name;
  run.machine->device.name = name;
  for (roofline::Ceiling& c : run.machine->ceilings) c.kernel = name;
  for (roofline::SweepPoint& p : run.machine->sweep) p.kernel = name;
  run.machine_provenance.command = name;
  for (analysis::KernelRow& row : run.rows) {
    row.name = name + row.name;
    row.short_name = name;
    row.sol.bound_label = name;
  }
  run.rows[0].operation_class = name;
  run.rows[1].name = std::string(4000, '<');
  return run;
}

analysis::Finding hostile_finding() {
  analysis::Table table;
  table.id = "hostile";
  table.title = "Hostile <names>";
  table.columns = {
      {"name", "Kernel", analysis::CellFormat::text, "", "The kernel's name."},
      {"launches", "Launches", analysis::CellFormat::count, "", ""},
      {"time_s", "Time", analysis::CellFormat::quantity, "s", "Sum over launches."},
      {"share", "Share", analysis::CellFormat::fraction, "", ""},
      {"slowdown", "Over limit", analysis::CellFormat::ratio, "", ""},
  };
  const std::string longest = std::string(1990, 'a') + "<\xe2\x82\xac>" + std::string(2005, 'b');
  table.rows = {
      {hostile_name(), std::int64_t{1234567}, 0.0123456789012345, 0.934, 1.834},
      {longest, std::int64_t{2}, 4.05e12, 0.0, analysis::Cell{}},
      {std::string(), analysis::Cell{}, analysis::Cell{}, analysis::Cell{}, analysis::Cell{}},
  };
  return {"hostile", "Hostile <names>", "A summary of | things & <others>.", {table}};
}

}  // namespace mansard::fixture
