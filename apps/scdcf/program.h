// The whole program as a function, for programs that add networks of their own: register_model, then run_program.
#pragma once

namespace scdcf::app {

/// What main() does. Returns the exit code: 0, 2 for bad input, 130 where Ctrl-C stopped a run, 1 for a fault of ours.
int run_program(int argc, char** argv);

}  // namespace scdcf::app
