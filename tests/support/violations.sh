# Sourced by the violations.sh beside a check.sh: puts one violation at a time into a copy of the tree in $scratch, with the
# list of rooms as rooms.txt, and sees that check.sh names it, and its place.   violations.sh SOURCE_DIR ROOMS.TXT SCRATCH
source=$1 rooms=$2 scratch=$3
folder=$(cd "$(dirname "$0")" && pwd)
test=$(basename "$folder")_violations
failures=0

check() { "$folder/check.sh" "$scratch" "$scratch/rooms.txt"; }

fail() {
  echo "$test: $1"
  failures=$((failures + 1))
}

# expect NAME PATTERN: the check fails, and with one line that matches.
expect() {
  if said=$(check); then
    fail "$1: the check passed, expected $2"
  elif [ "$(echo "$said" | grep -cE "$2")" -ne 1 ]; then
    fail "$1: expected one line matching $2, got
$said"
  fi
}

finish() {
  rm -rf "$scratch"
  [ "$failures" -eq 0 ] || exit 1
  echo "$test: each violation was found"
}
