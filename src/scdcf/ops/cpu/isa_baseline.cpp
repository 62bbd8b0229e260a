// Whatever the compiler targets by default; also the only level on other processors.
#define SCDCF_ISA isa_baseline
#define SCDCF_ISA_KERNELS baseline_kernels
#define SCDCF_VECTOR_BYTES 16
#include "scdcf/ops/cpu/isa_body.inl"
