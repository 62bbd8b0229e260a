// d[64 x n] (+)= a[64 x 16] * b[n x 16]^T by a warpgroup, 16-bit operands in shared memory (hopper.cuh): one
// instruction for each width n. Of the sums, thread t of warp w has rows 16 w + t / 4 and + 8, columns 8 j + 2 (t % 4)
// and + 1 as d[4 j ..].
#pragma once

#include "scdcf/ops/cuda/machine/hopper.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

// The registers of the sums d[0 .. count) as an instruction names them and as asm binds them.
#  define SCDCF_NAMES_28                                                                                             \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27"
#  define SCDCF_SUMS_28(d)                                                                                      \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#  define SCDCF_NAMES_36 SCDCF_NAMES_28 ", %28, %29, %30, %31, %32, %33, %34, %35"
#  define SCDCF_SUMS_36(d)                                                                                       \
    SCDCF_SUMS_28(d), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), \
        "+f"(d[35])
#  define SCDCF_NAMES_52 \
    SCDCF_NAMES_36 ", %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51"
#  define SCDCF_SUMS_52(d)                                                                                       \
    SCDCF_SUMS_36(d), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), \
        "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),  \
        "+f"(d[51])
#  define SCDCF_NAMES_56 SCDCF_NAMES_52 ", %52, %53, %54, %55"
#  define SCDCF_SUMS_56(d) SCDCF_SUMS_52(d), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#  define SCDCF_NAMES_64 SCDCF_NAMES_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#  define SCDCF_SUMS_64(d)                                                                                       \
    SCDCF_SUMS_56(d), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), \
        "+f"(d[63])

/// count: sums of a thread, n / 2; left, right, flag: the numbers of the operands behind them. T: the maps' type.
#  define SCDCF_ROWS(count, n, left, right, flag, type)                                                               \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #flag ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type \
                 "." type " {" SCDCF_NAMES_##count "}, %" #left ", %" #right ", p, 1, 1, 0, 0; }"                     \
                 : SCDCF_SUMS_##count(d)                                                                              \
                 : "l"(a), "l"(b), "r"(add))
#  define SCDCF_MULTIPLY_ROWS(count, n, left, right, flag)                                    \
    template <class T>                                                                        \
    __device__ inline void multiply_rows(float(&d)[count], uint64_t a, uint64_t b, int add) { \
      if constexpr (sizeof(T) == 2)                                                           \
        SCDCF_ROWS(count, n, left, right, flag, "bf16");                                      \
      else                                                                                    \
        SCDCF_ROWS(count, n, left, right, flag, "f16");                                       \
    }
SCDCF_MULTIPLY_ROWS(28, 56, 28, 29, 30)
SCDCF_MULTIPLY_ROWS(36, 72, 36, 37, 38)
SCDCF_MULTIPLY_ROWS(52, 104, 52, 53, 54)
SCDCF_MULTIPLY_ROWS(56, 112, 56, 57, 58)

/// d[64 x 128] += a * b, the left operand in registers: rows and numbers as in mma_half, 16 rows a warp.
#  define SCDCF_ROWS_HELD(type)                                                                   \
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" SCDCF_NAMES_64 \
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 0;"                                      \
                 : SCDCF_SUMS_64(d)                                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
template <class T>
__device__ inline void multiply_rows(float (&d)[64], const uint32_t (&a)[4], uint64_t b) {
  if constexpr (sizeof(T) == 2)
    SCDCF_ROWS_HELD("bf16");
  else
    SCDCF_ROWS_HELD("f16");
}

#  undef SCDCF_ROWS
#  undef SCDCF_ROWS_HELD
#  undef SCDCF_NAMES_28
#  undef SCDCF_SUMS_28
#  undef SCDCF_NAMES_36
#  undef SCDCF_SUMS_36
#  undef SCDCF_NAMES_52
#  undef SCDCF_SUMS_52
#  undef SCDCF_NAMES_56
#  undef SCDCF_SUMS_56
#  undef SCDCF_NAMES_64
#  undef SCDCF_SUMS_64
#  undef SCDCF_MULTIPLY_ROWS

}  // namespace scdcf::ops::cuda
#endif
