#include "program.h"

int main(int argc, char** argv) { return scdcf::app::run_program(argc, argv); }
