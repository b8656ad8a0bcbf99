/* SPDX-License-Identifier: Apache-2.0 */
/* C interface of Mansard's linear layers, y = x W^T, for use in other training programs
 * (libmansard_layers.so). python/mansard/torch.py is built on it.
 *
 * All tensors and almost all memory belong to the caller. A layer owns the state that its recipe
 * carries from step to step: random numbers and the history of delayed scaling, a few kilobytes.
 *
 *   x, dx  BF16 [tokens x in_features]      w   BF16 [out_features x in_features]
 *   y, dy  BF16 [tokens x out_features]     dw  FP32 [out_features x in_features]
 *
 * All are row-major and contiguous. Pointers must be aligned to MANSARD_LAYERS_ALIGNMENT bytes on a
 * GPU and to 16 bytes on the CPU.
 *
 *   mansard_layer_fprop(layer, stream, &memory, x, w, y, MANSARD_WEIGHT_NEW, &pass);
 *   mansard_layer_dgrad(layer, stream, &memory, pass, dy, w, dx);
 *   mansard_layer_wgrad(layer, stream, &memory, pass, dy, x, dw, MANSARD_OVERWRITE);
 *
 * Work is enqueued on `stream`, a cudaStream_t, and functions return early; on the CPU they return
 * when the results are complete. Layers may be used from any thread; functions lock the device's
 * layers while they run. If a layer is used on several streams, the caller orders them.
 *
 * Functions return MANSARD_OK or the kind of an error. An error changes no state of the layer that
 * later calls depend on, except for errors of CUDA itself. */
#ifndef MANSARD_LAYERS_H
#define MANSARD_LAYERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Raised by changes that need a new build of the caller. */
#define MANSARD_LAYERS_VERSION 1
#define MANSARD_LAYERS_ALIGNMENT 256
#define MANSARD_LAYERS_CPU (-1)

typedef enum {
  MANSARD_OK = 0,
  MANSARD_INVALID_ARGUMENT = 1,
  /* A pass does not match the passes before it. */
  MANSARD_OUT_OF_ORDER = 2,
  /* The device, its memory, CUDA or cuBLASLt. */
  MANSARD_FAILED = 3
} mansard_status;

/* MANSARD_LAYERS_VERSION of the library. */
int mansard_layers_version(void);

/* Returns a text that describes the error of the calling thread's last failed call, and what to do
 * about it. It is valid until the thread's next call. */
const char* mansard_layers_error(void);

/* Names of the recipes, separated by spaces: "bf16 fp8 ...". */
const char* mansard_layers_recipes(void);

typedef struct mansard_layer mansard_layer;

typedef struct {
  const char* recipe; /* one of mansard_layers_recipes() */
  int64_t tokens;     /* this and the features: multiples of 16 */
  int64_t in_features;
  int64_t out_features;
  uint64_t seed; /* of stochastic rounding */
  int device;    /* CUDA device, or MANSARD_LAYERS_CPU */
} mansard_layer_config;

mansard_status mansard_layer_create(const mansard_layer_config* config, mansard_layer** layer);
/* Null is ignored. On a GPU, waits for work that uses the layer's state. */
void mansard_layer_destroy(mansard_layer* layer);

/* Bytes of the caller's memory. A size may be 0. */
typedef struct {
  int64_t activation;         /* quantized x, from fprop to wgrad */
  int64_t weight;             /* quantized W, from fprop to dgrad */
  int64_t forward_scratch;    /* during fprop */
  int64_t backward_scratch;   /* from the start of dgrad to the end of wgrad */
  int backward_reads_x_and_w; /* 0: the backward passes take null for x and w */
} mansard_layer_sizes;

mansard_status mansard_layer_get_sizes(const mansard_layer* layer, mansard_layer_sizes* sizes);

/* Memory of one forward pass and of its backward passes. Between passes, only the addresses may
 * change, with their content. Pointers to empty memory may be null. */
typedef struct {
  void* activation;
  void* weight;
  void* scratch;
} mansard_layer_memory;

/* Values of `weight` in fprop. */
enum {
  MANSARD_WEIGHT_NEW = 0, /* quantizes W */
  MANSARD_WEIGHT_SAME = 1 /* memory->weight holds W, quantized by an earlier fprop of the layer */
};

/* Values of `result` in wgrad. */
enum { MANSARD_OVERWRITE = 0, MANSARD_ACCUMULATE = 1 };

/* y = x W^T. `*pass` identifies the pass for its backward passes; `pass` may be null if there are
 * none. Any number of forward passes may precede their backward passes, each with its own
 * activation memory. Exception: with recipe fp8_delayed, each fprop with MANSARD_WEIGHT_NEW
 * replaces the scales, so that the backward passes of earlier ones return MANSARD_OUT_OF_ORDER. */
mansard_status mansard_layer_fprop(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, const void* x, const void* w,
                                   void* y, int weight, uint64_t* pass);

/* dx = dy W. If dx is null, dy is only quantized, for wgrad. */
mansard_status mansard_layer_dgrad(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, uint64_t pass,
                                   const void* dy, const void* w, void* dx);

/* dW = dy^T x, or added to dW. Must directly follow the layer's dgrad of the same pass, with the
 * same scratch memory: it reads dy as quantized by dgrad. */
mansard_status mansard_layer_wgrad(mansard_layer* layer, void* stream,
                                   const mansard_layer_memory* memory, uint64_t pass,
                                   const void* dy, const void* x, float* dw, int result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
