#!/bin/sh
# Puts one violation at a time into a copy of the tree and sees that check.sh names it, and its place.
#   violations.sh SOURCE_DIR ROOMS.TXT SCRATCH
set -eu
. "$(dirname "$0")/../support/violations.sh"

fresh_copy() {
  rm -rf "$scratch"
  mkdir -p "$scratch"
  cp -r "$source/src" "$rooms" "$scratch"
}

# put FILE TEXT: a new file of the tree.
put() {
  fresh_copy
  printf "$2" >"$scratch/src/scdcf/$1"
}

put files/new.h '\n#include "scdcf/data/split.h"\nnamespace scdcf::files {}\n'
expect "an include that points up" '^src/scdcf/files/new.h:2: room files includes room data,'
put runs/new.cpp '#include "run_options.h"\nnamespace scdcf::runs {}\n'
expect "a header of apps/" '^src/scdcf/runs/new.cpp:1: includes "run_options.h", expected'
put runs/new.cpp '#include "scdcf/nowhere/a.h"\nnamespace scdcf::runs {}\n'
expect "an include of no room" '^src/scdcf/runs/new.cpp:1: includes "scdcf/nowhere/", which is no room'
put files/new.h 'namespace scdcf::data {\nstruct A {};\n}\n'
expect "the namespace of another room" '^src/scdcf/files/new.h:1: namespace scdcf::data, expected scdcf::files'
put core/new.h 'namespace scdcf {\nnamespace data {\nstruct A {};\n}\n}\n'
expect "core in another room's namespace" '^src/scdcf/core/new.h:2: namespace scdcf::data, expected scdcf'
put files/new.h '// a type\nstruct A {};\n'
expect "a type outside every namespace" '^src/scdcf/files/new.h:2: type A outside every namespace'
put files/new.cpp 'namespace scdcf::files {\nclass B final\n    : public C<int> {\n};\n\nenum class B { one };\n}\n'
expect "a type defined twice" '^src/scdcf/files/new.cpp:6: type B of scdcf::files is defined a second time, first at src/scdcf/files/new.cpp:3$'
put files/new.cpp 'namespace scdcf::files {\nstruct A {};\nnamespace {\nstruct A {};\n}\n#if X\nstruct B {};\n#else\nstruct B {};\n#endif\n}\n'
if check | grep new.cpp; then
  fail "a type in an anonymous namespace, or after #else, was taken for a second definition"
fi
fresh_copy
mkdir "$scratch/src/scdcf/new"
printf 'namespace scdcf::new_room {}\n' >"$scratch/src/scdcf/new/a.h"
expect "a folder that is no room" '^src/scdcf/new/a.h:1: folder new is no room'
fresh_copy
sed -i 's/^files:.*/files: core data/' "$scratch/rooms.txt"
expect "a room that uses one above it" '^src/scdcf/files/CMakeLists.txt:2: room files uses data, which does not stand below it'
fresh_copy
sed -i 's/^data:.*/& terminal/' "$scratch/rooms.txt"
expect "a room it names and does not use" '^src/scdcf/data/CMakeLists.txt:2: room data names terminal under USES and includes nothing'

finish
