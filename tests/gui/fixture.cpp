// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/fixture.h"

#include <algorithm>

#include "collector/store/kernel_name.h"
#include "collector/store/profile_writer.h"

namespace mansard::testing {
namespace {

roofline::Ceiling compute(Precision precision, const char* kernel, double flop_per_s) {
  roofline::Ceiling c;
  c.id = kernel;
  c.kernel = kernel;
  c.role = kernels::KernelRole::compute_ceiling;
  c.precision = precision;
  c.unit = "FLOP/s";
  c.value = flop_per_s;
  c.source = "measured";
  return c;
}

roofline::Ceiling bandwidth(MemoryLevel level, const char* kernel, double bytes_per_s) {
  roofline::Ceiling c;
  c.id = kernel;
  c.kernel = kernel;
  c.role = kernels::KernelRole::bandwidth_ceiling;
  c.level = level;
  c.unit = "B/s";
  c.value = bytes_per_s;
  c.source = "measured";
  return c;
}

roofline::Ceiling launch(double seconds) {
  roofline::Ceiling c;
  c.id = c.kernel = "launch_stream";
  c.role = kernels::KernelRole::overhead_ceiling;
  c.overhead = kernels::Overhead::kernel_launch;
  c.unit = "s";
  c.value = seconds;
  c.source = "measured";
  return c;
}

std::map<MemoryLevel, double> tiers(double shared, double l2, double hbm) {
  return {{MemoryLevel::shared, shared}, {MemoryLevel::l2, l2}, {MemoryLevel::hbm, hbm}};
}

std::map<MemoryLevel, double> hbm(double bytes) { return {{MemoryLevel::hbm, bytes}}; }

}  // namespace

roofline::MachineModel h200() {
  // Burst measurements of one H200 SXM by public tools and probes; the kernels' names identify the
  // tools.
  roofline::DeviceModel device;
  device.device.target = kernels::Target::cuda;
  device.device.name = "NVIDIA H200";
  device.device.uuid = "GPU-7c1e0a52-0000-4000-8000-000000000001";
  device.device.compute_capability = 90;
  device.device.units = 132;
  device.device.boost_clock_hz = 1.98e9;
  device.ceilings = {compute(Precision::fp8_e4m3, "fp8_wgmma", 1769e12),
                     compute(Precision::int8, "int8_gemm", 942e12),
                     compute(Precision::bf16, "bf16_wgmma", 941e12),
                     compute(Precision::fp16, "fp16_gemm", 763e12),
                     compute(Precision::tf32, "tf32_gemm", 415e12),
                     compute(Precision::fp64, "fp64_tensor", 62.7e12),
                     compute(Precision::fp32, "fp32_fma", 60.2e12),
                     bandwidth(MemoryLevel::shared, "l1_read", 28.4e12),
                     bandwidth(MemoryLevel::l2, "l2_read", 10.3e12),
                     bandwidth(MemoryLevel::hbm, "hbm_copy", 4.05e12),
                     bandwidth(MemoryLevel::nvlink, "nvlink_both_ways", 757e9),
                     bandwidth(MemoryLevel::pcie, "pcie_h2d", 55.6e9),
                     launch(2.45e-6)};
  roofline::MachineModel model;
  model.name = "h200";
  model.devices = {device};
  model.provenance.origin = roofline::Origin::measured;
  model.provenance.date_utc = "2025-01-01T00:00:00Z";
  return model;
}

const std::vector<FixtureKernel>& training_kernels() {
  using enum Precision;
  static const std::vector<FixtureKernel> kernels = {
      {"nvjet_qqtst_128x256_128x4_2x1_v_bz_coopA_TNT", "gemm", fp8_e4m3, 192, 728e-6, 1.0995e12,
       tiers(1.77e10, 3.5e9, 7.3e8)},
      {"nvjet_tst_128x256_64x4_2x1_v_bz_TNT", "gemm", bf16, 32, 1.364e-3, 1.0995e12,
       tiers(3.53e10, 6.95e9, 1.40e9)},
      {"nvjet_qqtst_64x128_128x6_1x1_h_bz_splitK_TNN", "gemm", fp8_e4m3, 64, 410e-6, 1.374e11,
       tiers(9.1e9, 2.2e9, 4.1e8)},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
       "cutlass::bfloat16_t>, false, true>(flash::Flash_fwd_params)",
       "attention", bf16, 32, 820e-6, 4.398e11, tiers(1.4e10, 1.9e9, 2.7e8)},
      {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, "
       "128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t>, true>(flash::Flash_bwd_params)",
       "attention", bf16, 32, 2.61e-3, 1.0995e12, tiers(4.4e10, 5.2e9, 8.1e8)},
      {"void transformer_engine::cast_transpose_fused_kernel<__nv_bfloat16, "
       "__nv_fp8_e4m3>(Param)",
       "quantize", fp32, 256, 362e-6, 8.05e8, tiers(1.2e9, 1.1e9, 1.074e9)},
      {"void mansard::rht_16x16_kernel<__nv_bfloat16>(__nv_bfloat16 const*, long)", "rht", fp32, 96,
       341e-6, 8.59e9, tiers(2.4e9, 1.1e9, 1.074e9)},
      {"void transformer_engine::amax_kernel<__nv_bfloat16>(float*, unsigned long)", "amax", fp32,
       256, 153e-6, 2.68e8, hbm(5.37e8)},
      {"void rmsnorm_fwd_kernel<__nv_bfloat16, 8192>(Params)", "norm", fp32, 128, 181e-6, 8.05e8,
       hbm(5.4e8)},
      {"void swiglu_kernel<__nv_bfloat16>(Params)", "activation", fp32, 64, 402e-6, 1.41e9,
       hbm(1.41e9)},
      {"void multi_tensor_apply_kernel<AdamFunctor<float>>(TensorListMetadata)", "optimizer", fp32,
       40, 1.72e-3, 4.8e9, hbm(6.4e9)},
      {"void at::native::vectorized_elementwise_kernel<4, FillFunctor<float>>(int)", "elementwise",
       fp32, 6000, 3.1e-6, 2.6e5, hbm(1.05e6)},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       "collective",
       std::nullopt,
       32,
       940e-6,
       0,
       {}},
  };
  return kernels;
}

std::shared_ptr<analysis::RunAnalysis> training_run() {
  auto run = std::make_shared<analysis::RunAnalysis>();
  run->title = "training";
  run->profile = training_profile();
  run->machine = h200().devices.front();
  run->machine_provenance = h200().provenance;
  double all_s = 0;
  std::size_t launch = 0;
  for (const FixtureKernel& k : training_kernels()) {
    analysis::KernelRow row;
    for (std::int64_t i = 0; i < k.launches; ++i) row.launch_indices.push_back(launch++);
    row.name = k.name;
    row.short_name = store::short_kernel_name(k.name);
    row.operation_class = k.operation_class;
    row.precision = k.precision;
    row.grid = {132, 1, 1};
    row.block = {384, 1, 1};
    row.launches = k.launches;
    const auto n = static_cast<double>(k.launches);
    row.time_s = n * k.launch_s;
    row.min_s = 0.97 * k.launch_s;
    row.median_s = k.launch_s;
    row.max_s = 1.08 * k.launch_s;
    if (k.flop > 0) {
      row.origin = analysis::WorkOrigin::annotated;
      row.work.launches = k.launches;
      row.work.flop[*k.precision] = n * k.flop;
      for (const auto& [level, bytes] : k.bytes) row.work.bytes[level] = n * bytes;
      row.sol = analysis::speed_of_light(row.work, *run->machine);
      row.cost_s = std::max(row.time_s, row.sol.launch_s);
      row.slowdown = row.cost_s / row.sol.time_s;
    }
    all_s += row.time_s;
    run->rows.push_back(row);
  }
  std::ranges::stable_sort(run->rows, std::greater<>{}, &analysis::KernelRow::time_s);
  for (std::size_t i = 0; i < run->rows.size(); ++i) {
    analysis::KernelRow& row = run->rows[i];
    row.share = row.time_s / all_s;
    for (const auto& [level, bytes] : row.work.bytes) {
      run->points.push_back(
          {i, level, row.work.total_flop() / bytes, row.work.total_flop() / row.time_s});
    }
  }
  run->busy_s = all_s;
  run->span_s = 1.09 * all_s;
  analysis::set_unit_values(*run);
  // Tests change copies of the run: they must not share what was computed from its rows.
  run->step_memo = analysis::make_step_memo();
  run->launch_memo = analysis::make_launch_memo();
  return run;
}

store::Profile training_profile() {
  store::Profile profile;
  profile.session.state = store::RecordingState::complete;
  profile.session.command = "python train.py --fp8";
  profile.session.host = "node-01";
  store::GpuRecord gpu;
  gpu.name = h200().devices.front().device.name;
  gpu.uuid = h200().devices.front().device.uuid;
  gpu.sm_count = 132;
  gpu.compute_major = 9;
  profile.gpus = {gpu};

  constexpr std::int64_t kThread = (std::int64_t{4242} << 24) | 4242;
  constexpr std::int64_t kGap_ns = 1500;
  const auto intern = [&profile](const std::string& text) {
    const auto id = static_cast<store::StringId>(profile.strings.size()) + 1;
    profile.strings[id] = text;
    return id;
  };
  const store::StringId api = intern("cudaLaunchKernelExC_v11060");
  std::int64_t now_ns = 1000;
  std::int64_t correlation = 1;
  for (const FixtureKernel& k : training_kernels()) {
    kernels::WorkAnnotation work;
    work.name = k.operation_class;
    work.flop = k.flop;
    work.bytes = k.bytes;
    work.precision = k.precision;
    work.operation_class = k.operation_class;
    const store::StringId name = intern(k.name);
    const store::StringId short_name = intern(store::short_kernel_name(k.name));
    const store::StringId range_text = intern(kernels::to_text(work));
    for (std::int64_t i = 0; i < k.launches; ++i) {
      const auto duration_ns = static_cast<std::int64_t>(k.launch_s * 1e9);
      if (k.flop > 0) {
        store::NvtxRecord range;
        range.row_id = static_cast<std::int64_t>(profile.nvtx.size()) + 1;
        range.start_ns = now_ns;
        range.end_ns = now_ns + kGap_ns - 100;
        range.global_tid = kThread;
        range.text_id = range_text;
        profile.work.set(range.row_id, work);
        profile.nvtx.push_back(range);
      }
      store::ApiRecord call;
      call.start_ns = now_ns + 100;
      call.end_ns = now_ns + 1000;
      call.global_tid = kThread;
      call.correlation_id = correlation;
      call.name = api;
      profile.api_calls.push_back(call);
      store::KernelRecord kernel;
      kernel.start_ns = now_ns + kGap_ns;
      kernel.end_ns = kernel.start_ns + duration_ns;
      kernel.correlation_id = correlation++;
      kernel.demangled_name = name;
      kernel.short_name = short_name;
      kernel.grid = {132, 1, 1};
      kernel.block = {384, 1, 1};
      profile.kernels.push_back(kernel);
      now_ns = kernel.end_ns;
    }
  }
  profile.correlations_unique = true;
  return profile;
}

void write_training_run(const std::filesystem::path& file) {
  const store::Profile profile = training_profile();
  store::ProfileWriter writer(file, profile.session);
  for (const store::GpuRecord& gpu : profile.gpus) writer.add(gpu);
  for (store::NvtxRecord range : profile.nvtx) {
    range.text = profile.text(range);
    range.text_id = 0;
    range.row_id = 0;
    writer.add(range);
  }
  for (store::ApiRecord call : profile.api_calls) {
    call.name = writer.intern(profile.string(call.name));
    writer.add(call);
  }
  for (store::KernelRecord kernel : profile.kernels) {
    kernel.demangled_name = writer.intern(profile.string(kernel.demangled_name));
    kernel.short_name = writer.intern(profile.string(kernel.short_name));
    writer.add(kernel);
  }
  writer.finish(store::RecordingState::complete);
}

}  // namespace mansard::testing
