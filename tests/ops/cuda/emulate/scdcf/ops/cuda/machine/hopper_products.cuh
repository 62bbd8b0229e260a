// CPU stand-in: multiply_rows is in hopper.cuh.
#pragma once

#include "scdcf/ops/cuda/machine/hopper.cuh"
