// Compiled with -mavx2 -mfma.
#if defined(__x86_64__)
#  define SCDCF_ISA isa_avx2
#  define SCDCF_ISA_KERNELS avx2_kernels
#  define SCDCF_VECTOR_BYTES 32
#  include "scdcf/ops/cpu/isa_body.inl"
#endif
