// Compiled with -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512.
#if defined(__x86_64__)
#  define SCDCF_ISA isa_avx512
#  define SCDCF_ISA_KERNELS avx512_kernels
#  define SCDCF_VECTOR_BYTES 64
#  include "scdcf/ops/cpu/isa_body.inl"
#endif
