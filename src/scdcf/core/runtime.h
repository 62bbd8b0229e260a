// What the library was built from and what it runs on.
#pragma once

#include <string>

namespace scdcf {

const char* version();  // "0.1.0"
const char* commit();   // "1a2b3c4d5e6f", with "-dirty" behind it for a changed tree

struct BlasInfo {
  std::string name;     // "OpenBLAS", "MKL", ..., "reference" or "unknown"
  std::string library;  // the file it was loaded from
  bool slow = false;    // the reference BLAS: correct, and many times slower
};

/// The BLAS that matrix products of this process go to, found by asking the loader where sgemm_ lives.
BlasInfo blas_in_use();

/// Sets the threads of every parallel region, 0 for all cores. Debian's LibTorch starts with one.
void set_threads(int count);
int threads();

/// Sets the threads of OpenBLAS alone, where it is the BLAS in use. After a product its idle threads keep a core busy
/// for tens of milliseconds, which whatever runs next pays for; the program therefore gives it one thread, and
/// parallelises outside.
void set_blas_threads(int count);

}  // namespace scdcf
