# Every path that README.md, docs/*.md and the comments of sources name exists.
#   awk -f check.awk LIST README.md docs/*.md sources...     LIST: the paths of the tree, a line each
# One line per violation, file:line: what; exit code 1 if there was any.
#   [text](path), [text](path#heading)   from the folder of the document; the heading is one of the document's
#   src/..., tests/..., docs/..., ...    anywhere, from the root; what `--out` names is written by the reader
#   `ops/cost.h`, `cost.h`               in a code span: the end of some file's path
#   | equation | [file](path) |          in the map of README.md: some file of the row names each (label) of the equation
#   // see ops/cost.h                    in a comment of a source: the end of some file's path
# No sentence stands twice in a document (lines of 110 characters and more that are no rows of tables).
# And the other way: some document links to each file of docs/figures and results.

function violation(what) {
  print FILENAME ":" FNR ": " what
  violations++
}

# a/b/../c and ./a as the tree has them.
function plain_path(path) {
  while (sub(/[^\/]+\/\.\.\//, "", path)) {}
  gsub(/(^|\/)\.\//, "", path)
  sub(/\/+$/, "", path)
  return path
}

# GitHub's name of a heading.
function anchor_of(heading) {
  sub(/^#+ */, "", heading)
  heading = tolower(heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

function has_heading(document, anchor,    text, found) {
  while (!found && (getline text < document) > 0) found = text ~ /^#/ && anchor_of(text) == anchor
  close(document)
  return found
}

function check_link(target,    hash, path) {
  if (target ~ /^[a-z]+:\/\//) return
  hash = index(target, "#")
  path = hash ? substr(target, 1, hash - 1) : target
  path = path == "" ? FILENAME : plain_path(folder path)
  linked[path] = 1
  if (!(path in exists)) violation("link to " target ", and there is no " path)
  else if (hash && !has_heading(path, substr(target, hash + 1))) violation("link to " target ": " path " has no such heading")
}

function check_rooted(path) {
  sub(/[.,:\/]+$/, "", path)
  if (path in exists) return
  for (i in outputs) if (path == i || index(path, i "/") == 1) return
  violation("names " path ", which is not there")
}

function check_span(span) {
  if (span !~ /^[a-z0-9_\/]+\.(h|cpp|cu|cuh|inl|cmake|sh)$/) return
  if (!(span in ending))
    violation("names " span ", and no file of the tree ends so")
}

function names_label(file, label,    text, found) {
  while (!found && (getline text < file) > 0) found = index(text, label)
  close(file)
  return found
}

# A row of the map: its labels, (1st-layer) and the like, must stand in one of the files.
function check_map_row(row,    cells, rest, label, count, files, i, found) {
  split(row, cells, "|")
  rest = cells[3]
  while (match(rest, /\]\([^)]*\)/)) {
    files[++count] = plain_path(substr(rest, RSTART + 2, RLENGTH - 3))
    rest = substr(rest, RSTART + RLENGTH)
  }
  if (!count) return violation("a row of the map without a link")
  rest = cells[2]
  while (match(rest, /\([A-Za-z0-9_]+[-_][A-Za-z0-9_-]+\)|\(A[0-9]\)|\(norms\)/)) {
    label = substr(rest, RSTART + 1, RLENGTH - 2)
    rest = substr(rest, RSTART + RLENGTH)
    found = 0
    for (i = 1; i <= count; i++) if (names_label(files[i], label)) found = 1
    if (!found) violation("(" label ") stands in none of the files of its row")
  }
}

FILENAME == ARGV[1] {
  exists[$0] = ending[$0] = 1
  name = $0
  while (sub(/^[^\/]*\//, "", name)) ending[name] = 1
  next
}

FILENAME !~ /\.md$/ {
  comment = $0
  if (!sub(/^.*\/\//, "", comment)) next
  while (match(comment, /[a-z_0-9]+(\/[a-z_0-9]+)+\.(h|cpp|cu|cuh|inl|md)/)) {
    path = substr(comment, RSTART, RLENGTH)
    comment = substr(comment, RSTART + RLENGTH)
    if (!(path in ending)) violation("names " path ", and no file of the tree ends so")
  }
  next
}

FNR == 1 {
  folder = FILENAME
  sub(/[^\/]*$/, "", folder)
  for (i in outputs) delete outputs[i]
  for (i in said) delete said[i]
  while ((getline text < FILENAME) > 0)
    while (match(text, /--out [^ `]+/)) {
      outputs[substr(text, RSTART + 6, RLENGTH - 6)] = 1
      text = substr(text, RSTART + RLENGTH)
    }
  close(FILENAME)
}

length($0) >= 110 && !/^\|/ && ($0 in said) { violation("says again what line " said[$0] " says") }
{ said[$0] = FNR }
/^#/ { in_map = FILENAME == "README.md" && /From an equation/ }
in_map && /^\|/ && !/^\|-/ && !/^\| in the paper/ { check_map_row($0) }

{
  rest = $0
  while (match(rest, /\]\([^)]*\)/)) {
    check_link(substr(rest, RSTART + 2, RLENGTH - 3))
    rest = substr(rest, 1, RSTART) substr(rest, RSTART + RLENGTH)
  }
  text = rest
  while (match(rest, /`[^`]*`/)) {
    check_span(substr(rest, RSTART + 1, RLENGTH - 2))
    rest = substr(rest, RSTART + RLENGTH)
  }
  while (match(text, /(^|[^A-Za-z0-9_.\/-])(src|tests|apps|docs|results|examples|benchmarks|scripts|cmake)\/[A-Za-z0-9_.\/-]*/)) {
    path = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    sub(/^[^a-z]/, "", path)
    check_rooted(path)
  }
}

END {
  for (path in exists)
    if (path ~ /^(docs\/figures|results)\/[^\/]+\.[a-z]+$/ && !(path in linked)) {
      print path ":1: no document links to it"
      violations++
    }
  exit violations > 0
}
