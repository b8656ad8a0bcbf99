// SPDX-License-Identifier: Apache-2.0
// Graphs and their nodes in CuptiSource, with a fake CUPTI.
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "collector/cupti/cupti_source.h"
#include "collector/store/global_ids.h"
#include "tests/collector/cupti/source_fixture.h"

namespace mansard::collector {
namespace {

using test::append;
using Source = test::SourceTest;

// A window that closes between launches of graphs.
class GraphsAtTheEnd : public Source {
 protected:
  GraphsAtTheEnd() : source(make()) {}

  void launch(std::uintptr_t graph, std::uint32_t correlation_id) {
    cuGraphLaunch_params parameters{};
    parameters.hGraph = reinterpret_cast<CUgraphExec>(graph);
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.correlationId = correlation_id;
    for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
      data.callbackSite = site;
      cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_DRIVER_API,
                     CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &data);
    }
    CUpti_ActivityKernel10 kernel = test::kernel_record();
    kernel.correlationId = correlation_id;
    append(cupti.pending, kernel);
  }
  bool records_kernels() {
    return !cupti.called("disable " + std::to_string(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  }
  std::vector<std::int64_t> recorded() {
    cupti.deliver();
    std::vector<std::int64_t> ids;
    for (const store::KernelRecord& kernel : drained(*source).kernels) {
      ids.push_back(kernel.correlation_id);
    }
    return ids;
  }

  std::unique_ptr<CuptiSource> source;
};

TEST_F(GraphsAtTheEnd, EachIsLaunchedOnceMoreBeforeKernelsAreDisabled) {
  launch(100, 1);
  launch(200, 2);
  launch(100, 3);
  source->window_closed();
  EXPECT_TRUE(records_kernels());
  EXPECT_TRUE(cupti.called("disable " + std::to_string(CUPTI_ACTIVITY_KIND_RUNTIME)));
  launch(100, 4);
  launch(300, 5);  // not in the window
  launch(100, 6);
  EXPECT_TRUE(records_kernels());
  launch(200, 7);
  EXPECT_FALSE(records_kernels());
  EXPECT_EQ(recorded(), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(GraphsAtTheEnd, AreNotWaitedForWithoutLaunches) {
  source->window_closed();
  EXPECT_FALSE(records_kernels());
}

TEST_F(GraphsAtTheEnd, AreNotWaitedForWithoutEnd) {
  launch(100, 1);
  source->window_closed();
  for (int i = 0; i < 500 && records_kernels(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(records_kernels());
}

TEST_F(GraphsAtTheEnd, MayOpenTheNextWindow) {
  launch(100, 1);
  source->window_closed();
  source->window_opens();
  launch(100, 2);
  EXPECT_TRUE(records_kernels());
  EXPECT_EQ(recorded(), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(Source, RecordsWhereGraphNodesAreCreated) {
  const auto source = make();
  const auto node = [](std::uintptr_t id) { return reinterpret_cast<CUgraphNode>(id); };
  CUpti_GraphData graph{};
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  const auto call = [&](CUpti_CallbackIdResource event, CUgraphNode created, CUgraphNode original) {
    graph.node = created;
    graph.originalNode = original;
    cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_RESOURCE, event, &data);
  };
  const std::int64_t before = store::utc_now_ns();
  call(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, node(7), node(99));
  call(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node(8), node(7));
  call(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, nullptr, nullptr);  // has no id
  EXPECT_FALSE(source->has_events()) << "a graph that is never launched needs no file";
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.graph_nodes.size(), 2u);
  const store::GraphNodeRecord& created = p.graph_nodes[0];
  EXPECT_EQ(created.graph_node_id, 7);
  EXPECT_EQ(created.original_graph_node_id, 0);
  EXPECT_EQ(created.global_tid, store::global_tid(getpid(), gettid()));
  EXPECT_GE(created.start_ns, before - static_cast<std::int64_t>(test::kSessionStart_ns));
  EXPECT_EQ(p.string(created.name), "Graph Node Creation");
  EXPECT_EQ(p.graph_nodes[1].graph_node_id, 8);
  EXPECT_EQ(p.graph_nodes[1].original_graph_node_id, 7);
  EXPECT_GE(p.graph_nodes[1].start_ns, created.start_ns);
}

TEST_F(Source, WatchesGraphNodesWithinTheWindow) {
  const auto callback = [](CUpti_CallbackId id, const char* state) {
    return "callback " + std::to_string(CUPTI_CB_DOMAIN_RESOURCE) + " " + std::to_string(id) +
           state;
  };
  const auto source = make_waiting();
  for (const CUpti_CallbackId id : kGraphNodeCallbacks) {
    EXPECT_FALSE(cupti.called(callback(id, " on")));
  }
  source->window_opens();
  source->window_closed();
  for (const CUpti_CallbackId id : kGraphNodeCallbacks) {
    EXPECT_TRUE(cupti.called(callback(id, " on")));
    EXPECT_LT(cupti.at(callback(id, " on")), cupti.at(callback(id, " off")));
  }
  CuptiSource::Settings whole;
  whole.graphs_as_a_whole = true;
  cupti.calls.clear();
  source->stop();
  make_waiting(whole)->window_opens();
  EXPECT_FALSE(cupti.called(callback(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, " on")));
}

TEST_F(Source, CountsGraphNodesBeyondItsLimit) {
  const auto source = make();
  CUpti_GraphData graph{};
  graph.node = reinterpret_cast<CUgraphNode>(std::uintptr_t{1});
  CUpti_ResourceData data{};
  data.resourceDescriptor = &graph;
  constexpr std::uint64_t kNodes = (1 << 17) + 5;
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    cupti.callback(cupti.callback_data, CUPTI_CB_DOMAIN_RESOURCE,
                   CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
  }
  EXPECT_EQ(source->dropped_events(), 5u);
}

}  // namespace
}  // namespace mansard::collector
