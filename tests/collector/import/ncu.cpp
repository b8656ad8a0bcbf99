// SPDX-License-Identifier: Apache-2.0
// Tests reading and importing Nsight Compute tables.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "collector/import/comparable_name.h"
#include "collector/import/import_result.h"
#include "collector/import/ncu_table.h"
#include "collector/import/ncu_value.h"
#include "collector/import/profile_source.h"
#include "support/csv.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/collector/import/trace_file.h"

namespace mansard::test {
namespace {

#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "said: " << (message)

TEST(NcuValue, Numbers) {
  EXPECT_EQ(collector::ncu_number("1,234,567.25"), 1234567.25);
  EXPECT_EQ(collector::ncu_number(" 42 "), 42);
  EXPECT_EQ(collector::ncu_number("-0.5"), -0.5);
  for (const char* none : {"nan", "n/a", "(!) n/a", "-nan"}) {
    ASSERT_TRUE(collector::ncu_number(none)) << none;
    EXPECT_TRUE(std::isnan(*collector::ncu_number(none))) << none;
  }
  for (const char* text : {"", "PolicySpread", "1.234,5", "0x10", "(128, 1, 1)"}) {
    EXPECT_EQ(collector::ncu_number(text), std::nullopt) << text;
  }
}

TEST(NcuValue, Units) {
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("byte"), 1);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Kbyte"), 1e3);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Gbyte"), 1e9);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Tbyte/s"), 1e12);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Gbyte/second"), 1e9);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("byte/ns"), 1e9);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Kbyte/block"), 1e3);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("Ghz"), 1e9);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("ns"), 1);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("us"), 1e3);
  EXPECT_DOUBLE_EQ(collector::ncu_unit_factor("msecond"), 1e6);
  for (const char* plain : {"", "%", "inst", "cycle", "register/thread", "inst/cycle", "MB"}) {
    EXPECT_DOUBLE_EQ(collector::ncu_unit_factor(plain), 1) << plain;
  }
}

TEST(NcuValue, Rounding) {
  EXPECT_DOUBLE_EQ(collector::ncu_rounding("49.15"), 0.005);
  EXPECT_DOUBLE_EQ(collector::ncu_rounding("1,024.5"), 0.05);
  EXPECT_DOUBLE_EQ(collector::ncu_rounding("49,152"), 0.5);
  EXPECT_EQ(collector::ncu_rounding("n/a"), 0);
  EXPECT_EQ(collector::ncu_rounding("text"), 0);
}

TEST(NcuValue, Dimensions) {
  EXPECT_EQ(collector::ncu_dimensions("(132, 2, 1)"), (std::array<std::int32_t, 3>{132, 2, 1}));
  EXPECT_EQ(collector::ncu_dimensions("132,2,1"), (std::array<std::int32_t, 3>{132, 2, 1}));
  for (const char* none : {"", "(1, 2)", "132", "(a, b, c)", "(1, 2, 3, 4)"}) {
    EXPECT_EQ(collector::ncu_dimensions(none), std::nullopt) << none;
  }
}

// Equal kernels, as written by the demanglers of CUPTI and GNU.
TEST(ComparableName, OneSpelling) {
  const std::pair<const char*, const char*> same[] = {
      {"void f<(int)128, (bool)1>(float *)", "void f<128, true>(float*)"},
      {"void ns::f<Op<float>>(T)", "void ns::f<Op<float> >(T)"},
      {"void <unnamed>::f(unsigned int)", "void (anonymous namespace)::f(unsigned int)"},
      {"g<(unsigned long)3>(char *)", "g<3ul>(char*)"},
      {"g<(ns::Mode)2, -1>()", "g<2, -1>()"},
  };
  for (const auto& [a, b] : same)
    EXPECT_EQ(collector::comparable_name(a), collector::comparable_name(b));
  EXPECT_NE(collector::comparable_name("f<128>()"), collector::comparable_name("f<64>()"));
  EXPECT_NE(collector::comparable_name("f2u()"), collector::comparable_name("f2()"))
      << "not a literal's suffix";
  EXPECT_EQ(
      collector::without_parameters(collector::comparable_name("void ns::f<g(1), 2>(int, float)")),
      "ns::f<g(1),2>");
}

constexpr const char* kRaw =
    R"csv(==PROF== Connected to process 4711 (/usr/bin/python3)
loss 2.31
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","device__attribute_display_name","device__attribute_multiprocessor_count","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum","launch__registers_per_thread","launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static","lts__t_sectors_srcunit_tex.sum","sm__ops_path_tensor_src_bf16_dst_fp32.sum","smsp__cycles_elapsed.avg.per_second","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed","nvlrx__bytes.sum","launch__cluster_scheduling_policy"
"","","","","","","","","","","","","","Gbyte","Mbyte","us","register/thread","Kbyte/block","byte/block","sector","","Ghz","inst/cycle","byte",""
"0","4711","python3","127.0.0.1","void gemm<(int)128, (bool)1>(float *)","1","7","(384, 1, 1)","(132, 2, 1)","0","9.0","Test GPU","132","4.50","500.00","2,000.00","168","213.25","0","1,000,000","1,000,000,000,000","1.50","2.00","n/a","PolicySpread"
==WARNING== something
"1","4711","python3","127.0.0.1","copy(float *)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","Test GPU","132","0.00","2.00","1.00","16","0","0","62,500","0","1.50","0","n/a","PolicySpread"
"2","4711","python3","127.0.0.1","cut
)csv";

TEST(NcuTable, RawPage) {
  const TraceFile file(kRaw, "raw.csv");
  const collector::NcuTable table = collector::read_ncu_table(file.file());
  ASSERT_EQ(table.launches.size(), 2u);
  EXPECT_EQ(table.other_lines, 3);
  EXPECT_EQ(table.broken_rows, 1);
  const collector::NcuLaunch& gemm = table.launches[0];
  EXPECT_EQ(gemm.kernel, "void gemm<(int)128, (bool)1>(float *)");
  EXPECT_EQ(gemm.pid, 4711);
  EXPECT_EQ(gemm.process, "python3");
  EXPECT_EQ(gemm.grid, (std::array<std::int32_t, 3>{132, 2, 1}));
  EXPECT_EQ(gemm.block, (std::array<std::int32_t, 3>{384, 1, 1}));
  EXPECT_EQ(gemm.stream_id, 7);
  EXPECT_EQ(gemm.compute_major, 9);
  EXPECT_EQ(gemm.gpu_name, "Test GPU");
  EXPECT_EQ(gemm.sm_count, 132);
  EXPECT_EQ(gemm.dynamic_shared_bytes(), 213250);
  EXPECT_DOUBLE_EQ(gemm.shared_rounding_bytes, 5);
  EXPECT_EQ(gemm.duration_ns(), 2e6);
  // 4.5 GB + 500 MB.
  EXPECT_EQ(gemm.value("dram__bytes.sum"), 5e9);
  // 2 per cycle, 1.5e9 cycles per second, 2 ms.
  EXPECT_DOUBLE_EQ(*gemm.value("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), 6e6);
  EXPECT_EQ(gemm.value("nvlrx__bytes.sum"), std::nullopt);
  EXPECT_TRUE(std::isnan(gemm.values.at("nvlrx__bytes.sum")));
  EXPECT_FALSE(gemm.values.contains("launch__cluster_scheduling_policy"));
}

// One metric per row, with names or labels; both processes number their launches from 0.
TEST(NcuTable, DetailsPage) {
  const TraceFile file(
      R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","10","a","h","k(int)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","Kbyte","1.50","","",""
"0","10","a","h","k(int)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","us","2.50","","",""
"0","10","a","h","k(int)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","Launch Statistics","Dynamic Shared Memory Per Block","Kbyte/block","1.02","","",""
"0","10","a","h","k(int)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","SpeedOfLight","","","","Bottleneck","OPT","Some advice, with a comma"
"0","11","a","h","k(int)","1","7","(256, 1, 1)","(8, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","Kbyte","3","","",""
)csv",
      "details.csv");
  const collector::NcuTable table = collector::read_ncu_table(file.file());
  ASSERT_EQ(table.launches.size(), 2u);
  EXPECT_EQ(table.launches[0].value("dram__bytes.sum"), 1500);
  EXPECT_EQ(table.launches[0].duration_ns(), 2500);
  EXPECT_EQ(table.launches[0].dynamic_shared_bytes(), 1020);
  EXPECT_DOUBLE_EQ(table.launches[0].shared_rounding_bytes, 5);
  EXPECT_EQ(table.launches[0].values.size(), 3u) << "labels without a known metric";
  EXPECT_EQ(table.launches[1].value("dram__bytes.sum"), 3000);
  EXPECT_EQ(table.launches[1].dynamic_shared_bytes(), std::nullopt);
}

// As written by ncu of 2020: the launch shape is among the metrics.
TEST(NcuTable, ShapesAmongMetrics) {
  const TraceFile file(
      R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","launch__grid_dim_x","launch__grid_dim_y","launch__grid_dim_z","launch__block_dim_x","launch__block_dim_y","launch__block_dim_z","device__attribute_compute_capability_major","device__attribute_compute_capability_minor","sm__sass_thread_inst_executed_op_fadd_pred_on.sum"
"","","","","","","","","block","block","block","thread","thread","thread","","","inst"
"0","10","a","h","k","2020-Jan-01 10:00:00","1","7","8","2","1","256","1","1","7","5","1,000"
)csv",
      "old.csv");
  const collector::NcuLaunch launch = collector::read_ncu_table(file.file()).launches.at(0);
  EXPECT_EQ(launch.grid, (std::array<std::int32_t, 3>{8, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(launch.compute_major, 7);
  EXPECT_EQ(launch.compute_minor, 5);
  EXPECT_EQ(launch.value("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 1000);
}

TEST(NcuTable, AsPowerShellWritesIt) {
  const TraceFile file(
      "\xef\xbb\xbf\"ID\",\"Process ID\",\"Kernel "
      "Name\",\"a__b.sum\"\r\n\"\",\"\",\"\",\"Kbyte\"\r\n"
      "\"0\",\"1\",\"k\",\"5\"\r\n",
      "powershell.csv");
  EXPECT_EQ(collector::read_ncu_table(file.file()).launches.at(0).value("a__b.sum"), 5000);
}

TEST(NcuTable, ImpossibleSizes) {
  collector::NcuLaunch launch;
  launch.values = {{"launch__shared_mem_per_block_dynamic", 1e300},
                   {"launch__shared_mem_per_block_static", -1},
                   {"gpu__time_duration.sum", 1e30}};
  EXPECT_EQ(launch.dynamic_shared_bytes(), std::nullopt);
  EXPECT_EQ(launch.static_shared_bytes(), std::nullopt);
  EXPECT_EQ(launch.duration_ns(), std::nullopt);
}

TEST(NcuTable, FilesWithoutATable) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      collector::read_ncu_table(TraceFile(text, "a.csv").file());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_SAYS(error_of("a,b\n1,2\n"), "has no Nsight Compute table");
  EXPECT_SAYS(error_of("a,b\n1,2\n"), "a.csv");
  EXPECT_SAYS(error_of("\"ID\",\"Process ID\"\n"), "has no kernels");
}

// Missing counts are derived from others: 1 + 2 bytes; 3 instructions per ns in 5 ns.
TEST(NcuTable, DerivedCountsReplaceMissingOnes) {
  collector::NcuLaunch launch;
  const double none = std::nan("");
  launch.values = {{"dram__bytes.sum", none},
                   {"dram__bytes_read.sum", 1},
                   {"dram__bytes_write.sum", 2},
                   {"gpu__time_duration.sum", none},
                   {"gpu__time_duration.avg", 5},
                   {"smsp__inst_executed.sum", none},
                   {"smsp__inst_executed.sum.per_second", 3e9},
                   {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", 7},
                   {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", none},
                   {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", none}};
  collector::complete_counts(launch);
  EXPECT_EQ(launch.value("dram__bytes.sum"), 3);
  EXPECT_EQ(launch.duration_ns(), 5);
  EXPECT_DOUBLE_EQ(launch.value("smsp__inst_executed.sum").value(), 15);
  EXPECT_EQ(launch.value("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 7);
  EXPECT_FALSE(launch.value("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"));
  // Values in the table are not replaced.
  launch.values = {
      {"dram__bytes.sum", 9}, {"dram__bytes_read.sum", 1}, {"dram__bytes_write.sum", 2}};
  collector::complete_counts(launch);
  EXPECT_EQ(launch.value("dram__bytes.sum"), 9);
}

// 1e12 BF16 FLOP in 2 ms, 5e9 B of HBM, 1e6 sectors of 32 B of L2, at CC 9.0.
TEST(ImportCounters, WithoutAProfile) {
  const TraceFile file(kRaw, "raw.csv");
  const collector::ImportResult result = collector::import_counters({file.file()}, file.output());
  const analysis::RunAnalysis run =
      analysis::analyze_run(store::load_profile(file.output()), {test_machine()});
  EXPECT_EQ(run.profile.session.state, store::RecordingState::complete);
  EXPECT_EQ(run.profile.session.pid, 4711);
  EXPECT_NE(run.profile.session.mansard_version.find("Nsight Compute"), std::string::npos);
  EXPECT_EQ(collector::profile_source(run.profile.session),
            collector::ProfileSource::nsight_compute);
  const analysis::KernelRow* gemm = find_row(run, "void gemm<(int)128, (bool)1>(float *)");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->origin, analysis::WorkOrigin::counted);
  EXPECT_DOUBLE_EQ(gemm->time_s, 2e-3);
  EXPECT_DOUBLE_EQ(gemm->work.flop.at(Precision::bf16), 1e12);
  EXPECT_DOUBLE_EQ(gemm->work.flop.at(Precision::fp32), 2 * 6e6) << "an FMA is two operations";
  EXPECT_DOUBLE_EQ(gemm->work.bytes.at(MemoryLevel::hbm), 5e9);
  EXPECT_DOUBLE_EQ(gemm->work.bytes.at(MemoryLevel::l2), 32e6);
  EXPECT_EQ(gemm->shared_bytes, 213250);
  EXPECT_TRUE(has_note(run, "Times are from Nsight Compute"));
  ASSERT_TRUE(run.machine);
  EXPECT_EQ(run.machine->device.name, "Test GPU");
  EXPECT_EQ(result.skipped.of("rows that are truncated or have no kernel name"), 1);
}

TEST(ImportCounters, MissingCountersAreReported) {
  const TraceFile file(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"CC\",\"sm__cycles_active"
      ".avg\"\n\"0\",\"1\",\"k\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"9.0\",\"5\"\n",
      "few.csv");
  const collector::ImportResult result = collector::import_counters({file.file()}, file.output());
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  EXPECT_SAYS(notes, "Tensor Core operation counters");
  EXPECT_SAYS(notes, "CUDA core operation counters");
  EXPECT_SAYS(notes, "byte counters of any memory tier");
  EXPECT_SAYS(notes, "1 launches have no duration");
}

TEST(ImportCounters, EmptyColumnCountsAsMissing) {
  const TraceFile file(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\","
      "\"gpu__time_duration.sum\",\"sm__ops_path_tensor_src_bf16_dst_fp32.sum\","
      "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"dram__bytes.sum\"\n"
      "\"0\",\"1\",\"k\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"9.0\",\"5\",\"n/a\",\"0\",\"(!) n/a\"\n",
      "none.csv");
  const collector::ImportResult result = collector::import_counters({file.file()}, file.output());
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  EXPECT_SAYS(notes, "Tensor Core operation counters");
  EXPECT_SAYS(notes, "byte counters of any memory tier");
  EXPECT_EQ(notes.find("CUDA core operation counters"), std::string::npos) << "0 is a count";
}

}  // namespace
}  // namespace mansard::test
