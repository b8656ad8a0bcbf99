// SPDX-License-Identifier: Apache-2.0
// The parameters of a transformer: their names, and their places in flat arrays, so that the
// optimizer updates all of them with one kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/formats/shape.h"
#include "kernels/recipes/arena.h"
#include "kernels/recipes/workloads.h"

namespace mansard::kernels {

struct Parameter {
  // As in Hugging Face's Llama, or as in nanoGPT's GPT-2 (whose matrices are out x in, unlike those
  // of Hugging Face).
  std::string name;
  Shape shape;              // out x in; vectors: one row
  std::int64_t offset = 0;  // elements from the start of the arrays
  float deviation = 0;      // of the initial values, which are normal; 0: they are all `mean`
  float mean = 0;
  bool is_vector() const { return shape.rows == 1; }
};

// The parameters of one part of a block: attention or feed-forward.
struct PartParameters {
  Parameter gain, bias;         // of the norm; bias: GPT-2 only
  std::vector<Parameter> in;    // q, k, v or gate, up: consecutive, so they form one matrix
  Parameter in_bias, out_bias;  // GPT-2 only
  Parameter out;                // o or down
  std::int64_t block = 0;
  std::int64_t ffn = 0;  // 0: the part is an attention
};

class Parameters {
 public:
  // Parameters start at multiples of this, so that no vector load crosses a border.
  static constexpr std::int64_t kGranule = 128;

  // The arrays can be split into `ranks` equal parts at multiples of kGranule.
  explicit Parameters(const TransformerModel& model, int ranks = 1);

  // Rows of the embedding and of the LM head: the vocabulary, padded for the tensor cores. Rows
  // after the vocabulary are 0 and stay 0.
  static std::int64_t padded_vocabulary(const TransformerModel& model) {
    return round_up(model.vocabulary, 128);
  }

  const std::vector<Parameter>& all() const { return all_; }
  std::int64_t size() const { return size_; }        // elements of an array, including gaps
  std::int64_t decayed() const { return decayed_; }  // matrices come first
  std::int64_t count() const;                        // parameters without gaps

  const Parameter& embedding() const { return embedding_; }
  const Parameter& positions() const { return positions_; }  // GPT-2 only
  const Parameter& head() const { return head_; }            // GPT-2: the embedding
  const Parameter& final_gain() const { return final_gain_; }
  const Parameter& final_bias() const { return final_bias_; }          // GPT-2 only
  const std::vector<PartParameters>& parts() const { return parts_; }  // in forward order

  // Initial values: GPT-2's (arXiv 2005.14165 and its published code): normal with deviation 0.02;
  // matrices whose results are added to the residual stream have 0.02 / sqrt(number of parts).
  void initialize(std::uint64_t seed, float* values) const;

 private:
  Parameter add(const std::string& name, Shape shape, float deviation, float mean = 0);

  std::vector<Parameter> all_;
  Parameter embedding_, positions_, head_, final_gain_, final_bias_;
  std::vector<PartParameters> parts_;
  std::int64_t size_ = 0;
  std::int64_t decayed_ = 0;
};

}  // namespace mansard::kernels
