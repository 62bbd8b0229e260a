// Everything of the library in one include. The parts, from the bottom up, as in the paper:
//   basis/   psi_k, phi_m, the scale grid, sampling on pixels           Sections 3.2, 5.1, 5.2
//   ops/     the joint convolution                                      Theorem 1, Section 5.3
//   nn/      layers                                                     Section 5
//   io/      model files
//   distributed/  training in several processes
//   models/  networks, by name                                          Section 6
//   theory/  group actions, deformations, norms, A_l, bounds            Sections 3.1, 4
#pragma once

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/basis/scale_basis.h"
#include "scdcf/basis/scale_grid.h"
#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "scdcf/distributed/data_parallel.h"
#include "scdcf/distributed/group.h"
#include "scdcf/distributed/launch.h"
#include "scdcf/distributed/place.h"
#include "scdcf/io/model_file.h"
#include "scdcf/models/operation_count.h"
#include "scdcf/models/registry.h"
#include "scdcf/models/scale_plan.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/batch_part.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/local_scale_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/read_out.h"
#include "scdcf/nn/rescaled_kernel_conv.h"
#include "scdcf/nn/residual_block.h"
#include "scdcf/nn/scale_space.h"
#include "scdcf/nn/vector_field.h"
#include "scdcf/ops/composed.h"
#include "scdcf/ops/cost.h"
#include "scdcf/theory/bounds.h"
#include "scdcf/theory/deformation.h"
#include "scdcf/theory/equivariance.h"
#include "scdcf/theory/group_action.h"
#include "scdcf/theory/network_equivariance.h"
#include "scdcf/theory/norms.h"
#include "scdcf/theory/stability.h"
