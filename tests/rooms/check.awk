# The rooms of src/scdcf against build/rooms.txt ("NAME: rooms it uses", from the ground up); see cmake/rooms.cmake.
#   awk -f check.awk build/rooms.txt $(the files of src/scdcf)
# One line per violation, file:line: what; exit code 1 if there was any.

function violation(where, what) {
  print where ": " what
  violations++
}

function room_of(file) {
  sub(/^.*src\/scdcf\//, "", file)
  return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : ""
}

# The place of room `name` in the text of its CMakeLists.txt, for a message.
function uses_line(name,    list, text, line) {
  list = source_root "/" name "/CMakeLists.txt"
  while ((getline text < list) > 0) {
    line++
    if (text ~ /USES/) break
  }
  close(list)
  return list ":" (text ~ /USES/ ? line : 1)
}

function read_room(    name, i) {
  name = $1
  sub(/:$/, "", name)
  rooms[++room_count] = name
  order[name] = room_count
  for (i = 2; i <= NF; i++) uses[name, $i] = 1
}

# Comments, text and numbers' separators go, so that only the braces of the language are left.
function code_of(text,    end) {
  if (in_raw_string) {
    end = index(text, raw_end)
    if (!end) return ""
    text = substr(text, end + length(raw_end))
    in_raw_string = 0
  }
  if (in_comment) {
    end = index(text, "*/")
    if (!end) return ""
    text = substr(text, end + 2)
    in_comment = 0
  }
  if (match(text, /R"[^( ]*\(/)) {
    raw_end = ")" substr(text, RSTART + 2, RLENGTH - 3) "\""
    end = index(substr(text, RSTART + RLENGTH), raw_end)
    in_raw_string = !end
    text = substr(text, 1, RSTART - 1) (end ? substr(text, RSTART + RLENGTH + end - 1 + length(raw_end)) : "")
  }
  gsub(/[0-9]'[0-9]/, "0", text)
  gsub(/"([^"\\]|\\.)*"/, "_", text)
  gsub(/'([^'\\]|\\.)*'/, "_", text)
  sub(/\/\/.*$/, "", text)
  while (match(text, /\/\*/)) {
    end = index(substr(text, RSTART + 2), "*/")
    in_comment = !end
    text = substr(text, 1, RSTART - 1) (end ? substr(text, RSTART + end + 3) : "")
  }
  return text
}

function check_include(text,    target) {
  if (!match(text, /["<][^">]*[">]/)) return
  target = substr(text, RSTART + 1, RLENGTH - 2)
  if (target ~ /^scdcf\//) {
    target = room_of("src/" target)
    used[room, target] = 1
    if (!(target in order))
      violation(here, "includes \"" (target == "" ? "scdcf/scdcf.h" : "scdcf/" target "/\", which is no room"))
    else if (target != room && !((room, target) in uses))
      violation(here, "room " room " includes room " target ", which its USES does not name")
  } else if (text ~ /"/ && target != "build_info.h")
    violation(here, "includes \"" target "\", expected a header of src/scdcf (what is in apps/ stands above)")
}

function check_namespace(name,    inside) {
  if (room == "core") {
    inside = name
    sub(/^scdcf::/, "", inside)
    if (name == "scdcf" || (name ~ /^scdcf::/ && !(inside in order))) return
  } else if (name == home || index(name, home "::") == 1)
    return
  violation(here, "namespace " name ", expected " home)
}

# A name, remembered with the namespaces around it: the one definition rule holds for the whole program.
function check_type(text,    name, i, scope) {
  if (text ~ /(^|[ >])(friend|using|typedef)[ ]/ || text ~ /\) *(const|noexcept|override)* *$/) return
  while (sub(/template *<[^<>]*(<[^<>]*>[^<>]*)*> */, "", text)) {}
  if (text !~ /^ *((inline|static|constexpr|const|alignas\([^)]*\)) +)*(class|struct|union|enum) /) return
  sub(/^ *((inline|static|constexpr|const) +)*(class|struct|union|enum) +((class|struct) +)?/, "", text)
  sub(/^(alignas\([^)]*\)|\[\[[a-z]*\]\]|__attribute__\(\([^)]*\)\)|__align__\([^)]*\)) */, "", text)
  if (!match(text, /^[A-Za-z_][A-Za-z_0-9]*(::[A-Za-z_][A-Za-z_0-9]*)*( *<[^{]*>)?/)) return
  name = substr(text, 1, RLENGTH)
  for (i = 1; i <= depth; i++) scope = scope (scope == "" ? "" : "::") stack[i]
  if (scope == "" && file_is_inl) scope = home " (inside what includes it)"
  if (scope == "") return violation(here, "type " name " outside every namespace, expected " home)
  if (name ~ /</) sub(/ *: .*$/, "", name)
  if ((scope, name) in defined && !(alternatives && index(defined[scope, name], file ":") == 1))
    violation(here, "type " name " of " scope " is defined a second time, first at " defined[scope, name])
  else
    defined[scope, name] = here
}

function opening_brace(    text) {
  text = statement
  statement = ""
  gsub(/[ \t]+/, " ", text)
  sub(/^ /, "", text)
  if (others == 0 && text ~ /^(inline )?namespace/) {
    sub(/^(inline )?namespace ?/, "", text)
    sub(/ $/, "", text)
    if (depth == 0 && text == "")
      violation(here, "an anonymous namespace outside " home)
    if (depth == 0 && text != "") check_namespace(text)
    else if (room == "core" && text in order) check_namespace(stack[1] "::" text)
    if (text == "") anonymous++
    stack[++depth] = text
    kinds[++braces] = "namespace"
    return
  }
  if (others == 0 && anonymous == 0) check_type(text)
  kinds[++braces] = "other"
  others++
}

function closing_brace() {
  statement = ""
  if (braces == 0) return
  if (kinds[braces--] == "other")
    others--
  else if (stack[depth--] == "")
    anonymous--
}

function finish_file() {
  if (file == "") return
  if (braces != 0) violation(file ":" last_line, "braces do not match")
}

FNR == 1 && FILENAME != ARGV[1] {
  finish_file()
  file = FILENAME
  room = room_of(file)
  home = room == "core" ? "scdcf" : "scdcf::" room
  file_is_inl = file ~ /\.inl$/
  source_root = file
  sub(/src\/scdcf\/.*$/, "src/scdcf", source_root)
  depth = braces = others = anonymous = in_comment = in_raw_string = in_macro = conditions = alternatives = 0
  statement = ""
  here = file ":1"
  if (room != "" && !(room in order)) {
    violation(here, "folder " room " is no room of " ARGV[1])
    order[room] = ++room_count
    rooms[room_count] = room
  }
}

FILENAME == ARGV[1] {
  read_room()
  next
}

room == "" { next }  # scdcf.h: every part of the library in one include

{
  here = file ":" FNR
  last_line = FNR
  text = $0
  if (in_macro || (!in_comment && !in_raw_string && text ~ /^[ \t]*#/)) {
    if (!in_macro && text ~ /^[ \t]*#[ \t]*include/) check_include(text)
    if (text ~ /^[ \t]*#[ \t]*if/) alternative[++conditions] = 0
    if (text ~ /^[ \t]*#[ \t]*el/ && !alternative[conditions]) alternatives += alternative[conditions] = 1
    if (text ~ /^[ \t]*#[ \t]*endif/) alternatives -= alternative[conditions--]
    in_macro = text ~ /\\$/
    next
  }
  text = code_of(text)
  while (match(text, /[;{}]/)) {
    statement = statement " " substr(text, 1, RSTART - 1)
    mark = substr(text, RSTART, 1)
    text = substr(text, RSTART + 1)
    if (mark == "{") opening_brace()
    else if (mark == "}") closing_brace()
    else statement = ""
  }
  statement = statement " " text
}

END {
  finish_file()
  for (i = 1; i <= room_count; i++)
    for (j = 1; j <= room_count; j++) {
      if (!((rooms[i], rooms[j]) in uses)) continue
      if (j >= i)
        violation(uses_line(rooms[i]), "room " rooms[i] " uses " rooms[j] ", which does not stand below it")
      else if (!((rooms[i], rooms[j]) in used))
        violation(uses_line(rooms[i]), "room " rooms[i] " names " rooms[j] " under USES and includes nothing of it")
    }
  for (pair in uses) {
    split(pair, names, SUBSEP)
    if (!(names[2] in order)) violation(uses_line(names[1]), "room " names[1] " uses " names[2] ", which is no room")
  }
  exit violations > 0
}
