#!/usr/bin/env bash
# The commands of README.md, read from it and run in their order in a fresh clone: readme_commands.sh SOURCE BUILD SCRATCH
# SECTION. What was built before is used (BUILD). Trainings are made small by more options; MNIST comes from SCDCF_DATA,
# for nothing is downloaded here.
set -euo pipefail
source=$1 build=$2 scratch=$3 section=$4
skip() { echo "skipped: $1"; exit 77; }
[ -d "$source/.git" ] || skip "$source is no clone"
[ -d "${SCDCF_DATA:-}/mnist" ] || skip "SCDCF_DATA names no folder with mnist"
rm -rf "$scratch"
mkdir -p "$scratch/home"
git clone --quiet "file://$source" "$scratch/clone"
cd "$scratch/clone"
data=$SCDCF_DATA
unset SCDCF_DATA XDG_CACHE_HOME XDG_DATA_HOME  # a new user has no data yet
export BUILD=$build HOME=$scratch/home PATH=$scratch/home/.local/bin:$PATH OMP_NUM_THREADS=1

# What the user of the commands has: photographs of several sizes in a folder for each class, and others without.
make_pictures() {
  mkdir -p photos/{one,two} folder
  for count in 1 2 3; do
    "$build/bin/scdcf" data show glyphs --count $count --out $count.png >/dev/null
    "$build/bin/scdcf" data show sglyphs --count $count --columns $count --out s$count.png >/dev/null
    for copy in 1 2 3 4 5 6; do
      cp $count.png photos/one/$count-$copy.png
      cp s$count.png photos/two/$count-$copy.png
    done
  done
  mv 1.png picture.png
  mv 2.png s2.png folder
}

# small COMMAND: as it stands there, but for the time that it takes.
small() {
  case $1 in
  "scdcf train "*photos*) echo "$1 --epochs 1 --batch 4 --channels 4,4,4 --hidden 32" ;;
  "scdcf train "*)
    echo "$(sed 's/ --train-size [0-9]*//' <<<"$1") --train-size 64 --validation-size 32 --test-size 50 --epochs 1 --batch 16 --channels 4,4,4 --hidden 32"
    ;;
  "scdcf bench") echo "$1 --group smnist28 --batch 1 --seconds 0" ;;
  *) echo "$1" ;;
  esac
}

run() {
  local command
  command=$(small "$1")
  case $command in
  "make test"*) echo "not run: $command (this test is a part of it)" && return ;;
  "scdcf data fetch mnist")
    echo "not run: $command (it is in $data)"
    export SCDCF_DATA=$data
    return
    ;;
  "scdcf explore "*)
    [ -d "$source/build-pages/node_modules" ] || { echo "not run: $command (needs make pages-deps)" && return; }
    export SCDCF_PAGES=$source/build-pages
    ;;
  esac
  echo "\$ $command"
  bash -c "$command" >output.txt 2>&1 || { cat output.txt; echo "README.md, $section: failed: $1"; exit 1; }
}

commands=$(awk -v section="## $section" '/^## / { inside = $0 == section } inside && /^    / { sub(/ +#.*/, ""); sub(/^ +/, ""); print }' "$source/README.md")
[ -n "$commands" ] || { echo "README.md has no commands under $section"; exit 1; }
[ "$section" != "The program" ] || make_pictures
while read -r line; do run "$line"; done <<<"$commands"
