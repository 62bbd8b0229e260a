// Where the program's tensors on the CPU have their memory.
#pragma once

namespace scdcf::app {

/// LibTorch asks for aligned blocks, and glibc cannot give a freed one to the next tensor of the same size: training
/// takes up to twice the memory. From now on it is asked for blocks that are larger by the alignment, and for all of
/// them keeps what was freed: a training step needs it again, and a fifth of the time of a small network would go into
/// pages that are returned and cleared anew.
void keep_tensor_memory();

}  // namespace scdcf::app
