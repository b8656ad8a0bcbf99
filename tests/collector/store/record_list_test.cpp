// SPDX-License-Identifier: Apache-2.0
#include "collector/store/record_list.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "collector/store/record_packer.h"

namespace mansard::store {
namespace {

KernelRecord a_kernel(std::mt19937& random) {
  const auto some = [&random](int of) { return static_cast<std::int32_t>(random() % of); };
  KernelRecord k;
  k.start_ns = some(1000);
  k.end_ns = k.start_ns + some(100) - 3;  // some have lost their timestamps
  k.device_id = some(2);
  k.context_id = some(2);
  k.stream_id = some(3);
  k.correlation_id = std::int64_t{some(3)} << 32 | some(1000);
  k.demangled_name = some(5);
  k.short_name = some(5);
  k.mangled_name = some(5);
  k.grid = {some(3), some(3), some(3)};
  k.block = {some(3), some(3), some(3)};
  k.cluster = {some(2), 0, 1};
  k.registers_per_thread = some(2);
  k.static_shared_bytes = some(2);
  k.dynamic_shared_bytes = some(2);
  k.local_bytes_per_thread = some(2);
  k.local_bytes_total = std::int64_t{some(2)} << 40;
  k.grid_id = some(1000);
  k.graph_node_id = std::int64_t{some(2)} << 50;
  k.graph_id = some(2);
  k.launch_type = some(2);
  return k;
}

auto all_of(const KernelRecord& k) {
  return std::tuple(k.start_ns, k.end_ns, k.correlation_id, k.grid_id, k.graph_node_id,
                    k.demangled_name, k.short_name, k.mangled_name, k.grid, k.block, k.cluster,
                    k.device_id, k.context_id, k.stream_id, k.registers_per_thread,
                    k.static_shared_bytes, k.dynamic_shared_bytes, k.local_bytes_per_thread,
                    k.local_bytes_total, k.graph_id, k.launch_type);
}

TEST(PackedRecords, MatchAStableSort) {
  std::mt19937 random(5);
  std::vector<KernelRecord> expected;
  RecordPacker<KernelRecord> first;
  RecordPacker<KernelRecord> second;
  for (int i = 0; i < 2000; ++i) {
    expected.push_back(a_kernel(random));
    (i < 1300 ? first : second).add(expected.back());
  }
  first.add(second.finish());
  const RecordList<KernelRecord> list = first.finish_by_start();
  std::ranges::stable_sort(expected, {}, &KernelRecord::start_ns);
  ASSERT_EQ(list.size(), expected.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSERT_EQ(all_of(list[i]), all_of(expected[i])) << i;
  }
}

TEST(PackedRecords, KeepPayloadsAndTexts) {
  const NvtxPayload payloads[] = {std::monostate(),
                                  std::uint64_t{1} << 63,
                                  std::int64_t{-5},
                                  -0.25,
                                  std::uint32_t{0xffffffff},
                                  std::int32_t{-1},
                                  0.5f};
  RecordPacker<NvtxRecord> packer;
  for (int i = 0; i < 300; ++i) {
    NvtxRecord n;
    n.start_ns = i;
    n.row_id = 300 - i;
    n.payload = payloads[i % 7];
    n.text = i % 5 == 0 ? "text " + std::to_string(i % 10) : "";
    n.text_id = i % 5 == 0 ? 0 : 9;
    n.began_earlier = i % 2 == 0;
    n.type = i % 3 == 0 ? NvtxEventType::mark : NvtxEventType::push_pop;
    packer.add(n);
  }
  const RecordList<NvtxRecord> list = packer.finish_by_start();
  ASSERT_EQ(list.size(), 300u);
  for (int i = 0; i < 300; ++i) {
    const NvtxRecord& n = list[static_cast<std::size_t>(i)];
    EXPECT_EQ(n.start_ns, i);
    EXPECT_EQ(n.end_ns, -1);
    EXPECT_EQ(n.row_id, 300 - i);
    EXPECT_EQ(n.payload, payloads[i % 7]) << i;
    EXPECT_EQ(n.text, i % 5 == 0 ? "text " + std::to_string(i % 10) : "");
    EXPECT_EQ(n.text_id, i % 5 == 0 ? 0 : 9);
    EXPECT_EQ(n.began_earlier, i % 2 == 0);
    EXPECT_EQ(n.type, i % 3 == 0 ? NvtxEventType::mark : NvtxEventType::push_pop);
  }
}

RecordList<ApiRecord> packed_calls(int count) {
  RecordPacker<ApiRecord> packer;
  for (int i = 0; i < count; ++i) {
    ApiRecord a;
    a.start_ns = 10 * i;
    a.end_ns = 10 * i + 5;
    a.name = i % 3;
    packer.add(a);
  }
  return packer.finish_by_start();
}

TEST(RecordList, IsReadLikeAVector) {
  const RecordList<ApiRecord> calls = packed_calls(500);
  EXPECT_EQ(calls.front().start_ns, 0);
  EXPECT_EQ(calls.back().start_ns, 4990);
  std::int64_t next_ns = 0;
  for (const ApiRecord& call : calls) {
    EXPECT_EQ(call.start_ns, next_ns);
    next_ns += 10;
  }
  EXPECT_EQ(next_ns, 5000);
  static_assert(std::random_access_iterator<RecordList<ApiRecord>::const_iterator>);
  const auto at = std::ranges::lower_bound(calls, 1234, {}, &ApiRecord::start_ns);
  EXPECT_EQ(at->start_ns, 1240);
  EXPECT_EQ(at - calls.begin(), 124);
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                          [](const ApiRecord& call) { return call.name == 2; }),
            166);
}

TEST(RecordList, IsUnpackedBeforeChanges) {
  RecordList<ApiRecord> calls = packed_calls(300);
  const std::size_t packed_bytes = calls.held_bytes();
  calls[7].name = 99;
  calls.emplace_back().start_ns = 77;
  const RecordList<ApiRecord>& read = calls;
  ASSERT_EQ(read.size(), 301u);
  EXPECT_EQ(read[7].name, 99);
  EXPECT_EQ(read[8].start_ns, 80);
  EXPECT_EQ(read.back().start_ns, 77);
  EXPECT_GT(calls.held_bytes(), 2 * packed_bytes);
}

TEST(RecordList, IsEmptyAfterMove) {
  RecordList<ApiRecord> calls = packed_calls(300);
  const RecordList<ApiRecord> other = std::move(calls);
  EXPECT_EQ(other.size(), 300u);
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace mansard::store
