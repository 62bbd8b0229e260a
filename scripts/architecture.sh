#!/bin/sh
# Draws docs/figures/architecture.svg: architecture.sh ROOMS.TXT > docs/figures/architecture.svg
# The rooms and what each uses come from the build (rooms.txt, written when CMake configures); their places and captions
# stand here. Stops where the two differ. The test `docs` draws it again and compares.
set -eu
awk '
# ---- what is drawn --------------------------------------------------------------------------------------------------
function layout() {
  # room, row from the top, column of how many, caption, numbers of the steps below that happen there
  room("theory", 2, 1, 1, "group actions, norms, A_l, bounds, errors", "")
  room("models", 3, 1, 2, "networks, by name", "7")
  room("distributed", 3, 1.5, 2, "processes that train as one", "")
  room("nn", 4, 1, 1, "layers for torch::nn::Sequential", "5 6")
  room("ops", 5, 1, 1, "joint convolution: CPU, CUDA, Meta, autograd", "6")
  room("basis", 6, 1, 2, "psi_k, phi_m, grid, sampling", "")
  room("io", 6, 1.5, 2, "model files", "")
  room("core", 7, 1, 1, "errors, threads, text; nearly every room uses it", "")
  room("tables", 2, 2, 3, "plans, the paper\047s numbers", "10")
  room("explore", 2, 3, 3, "a page that runs networks", "")
  room("demo", 2, 4, 3, "three networks on one page", "")
  room("bench", 3, 2, 4, "times", "")
  room("verify", 3, 3, 4, "theorems, measured", "")
  room("figures", 3, 4, 4, "Figures 2 to 5", "")
  room("runs", 3, 5, 4, "a queue, its store", "9")
  room("train", 4, 2, 2, "the step, the trainer, checkpoints, evaluation", "4 8")
  room("exchange", 4, 3, 2, "traced networks as ONNX and TorchScript", "")
  room("data", 5, 2, 2, "image sets, splits, rescaling, fetching", "3")
  room("report", 5, 3, 2, "tables, plots, pages", "10")
  room("pixels", 6, 2, 2, "PNG, JPEG, resizing, a canvas", "2")
  room("terminal", 6, 3, 2, "progress line, status line, rows", "")
  room("files", 7, 2, 1, "reading, gzip, tar, JSON, atomic writing", "1")
  step("files", "picture file", "bytes", "a folder, an archive, IDX")
  step("pixels", "decode", "pixels, a byte a channel", "PNG, JPEG")
  step("data", "image set", "[N, C, H, W] bytes, labels", "split, rescaled at random")
  step("train", "DeviceImages", "[N, C, H, W] numbers", "a batch, normalised, augmented")
  step("nn", "lifting layer", "[N, C, S, H, W]", "one map at each of S scales")
  step("ops", "joint layers, twice", "row pass, mix, column pass", "then norm, ReLU, pooling")
  step("models", "head", "[N, classes] scores", "maximum over scale, linear")
  step("train", "loss", "one number, its gradient", "the step, one CUDA graph")
  step("runs", "result of a run", "a line of results.jsonl", "accuracies, curve, times")
  step("report", "report", "HTML, Markdown, CSV, SVG", "beside the numbers in the paper")
}

# ---- drawing --------------------------------------------------------------------------------------------------------
function text(x, y, size, style, words) {
  gsub(/&/, "\\&amp;", words)
  gsub(/</, "\\&lt;", words)
  printf "<text x=\"%g\" y=\"%g\" font-size=\"%g\"%s>%s</text>\n", x, y, size, style, words
}
function rectangle(x, y, w, h, fill, line) {
  printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"5\" fill=\"%s\" stroke=\"%s\"/>\n", x, y, w, h, fill, line
}
function number(x, y, n) {
  printf "<circle cx=\"%g\" cy=\"%g\" r=\"9\" fill=\"#333\"/>\n", x, y
  text(x, y + 3.8, 10.5, " fill=\"#fff\" text-anchor=\"middle\" font-weight=\"bold\"", n)
}
function arrow(x1, y1, x2, y2) {
  printf "<path d=\"M%g %gL%g %g\" stroke=\"#333\" stroke-width=\"1.4\" marker-end=\"url(#tip)\"/>\n", x1, y1, x2, y2
}
function fill_of(name) { return name in library ? "#dce9f7" : row[name] < 4 ? "#fbe9d0" : "#e2f1dd" }

function room(name, at, column, columns, caption, steps,    x, w, y, uses, words, count, i, line, marks) {
  row[name] = at
  place[name] = column
  if (!(name in known)) fail("no room " name " in " ARGV[1])
  w = column < 2 ? (350 - (columns - 1) * 10) / columns : (610 - (columns - 1) * 10) / columns
  x = column < 2 ? 15 + (column - 1) * 360 : 385 + (column - 2) * (w + 10)
  y = 52 + (at - 1) * 72
  rectangle(x, y, w, 64, fill_of(name), "#7f8c99")
  text(x + 9, y + 17, 13.5, " font-weight=\"bold\"", name)
  text(x + 9, y + 32, 11, "", caption)
  count = split(used[name], words, " ")
  for (i = 1; i <= count; i++) if (words[i] != "core" && (name in library || !(words[i] in library))) {
    if (length(line " " words[i]) * 5.3 > w - 16) {
      text(x + 9, y + 46, 10.5, " fill=\"#56606b\"", line)
      line = ""
      y += 12
    }
    line = line (line == "" ? (y > 52 + (at - 1) * 72 ? "" : "uses ") : " ") words[i]
  }
  if (line != "" && line != "uses ") text(x + 9, y + 46, 10.5, " fill=\"#56606b\"", line)
  y = 52 + (at - 1) * 72
  count = split(steps, marks, " ")
  for (i = 1; i <= count; i++) number(x + w - 14 - 21 * (count - i), y + 14, marks[i])
}

function step(name, title, what, how,    x, y, n) {
  n = steps++
  x = 15 + (n % 5) * 198
  y = n < 5 ? 612 : 706
  rectangle(x, y, 188, 68, fill_of(name), "#7f8c99")
  number(x + 174, y + 14, n + 1)
  text(x + 9, y + 18, 12.5, " font-weight=\"bold\"", title)
  text(x + 9, y + 35, 11, "", what)
  text(x + 9, y + 49, 10.5, " fill=\"#56606b\"", how)
  text(x + 9, y + 62, 10.5, " fill=\"#56606b\" font-style=\"italic\"", name)
  if (n % 5 > 0) arrow(x - 10, y + 40, x - 2, y + 40)
}

function fail(what) {
  print "architecture.sh: " what >"/dev/stderr"
  failed = 1
  exit 1
}

{
  name = $1
  sub(/:$/, "", name)
  known[name] = 1
  if (!("files" in known)) library[name] = 1
  used[name] = $0
  sub(/^[^:]*: */, "", used[name])
}

END {
  if (failed) exit 1
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1010\" height=\"790\" viewBox=\"0 0 1010 790\" font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"#1d2733\">"
  print "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"6\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"#333\"/></marker></defs>"
  rectangle(0.5, 0.5, 1009, 789, "#fff", "#fff")
  text(15, 36, 15, " font-weight=\"bold\"", "libscdcf.so: the library")
  text(385, 36, 15, " font-weight=\"bold\"", "the program")
  rectangle(15, 52, 350, 64, "#fff", "#7f8c99")
  text(24, 69, 13.5, " font-weight=\"bold\"", "scdcf.h")
  text(24, 84, 11, "", "every public header in one include")
  rectangle(385, 52, 610, 64, "#fff", "#7f8c99")
  text(394, 69, 13.5, " font-weight=\"bold\"", "apps/scdcf")
  text(394, 84, 11, "", "one file a command: train, eval, predict, equivariance, reproduce, report, verify, bench, ...")
  layout()
  for (name in known) {
    if (!(name in row)) fail("room " name " has no place in the picture")
    count = split(used[name], words, " ")
    for (i = 1; i <= count; i++)
      if (!(words[i] in library && !(name in library)) && !(row[words[i]] > row[name] || (row[words[i]] == row[name] && place[words[i]] < place[name])))
        fail(name " uses " words[i] ", which is drawn above it")
  }
  if (failed) exit 1
  text(15, 574, 11, " fill=\"#56606b\"", "A room uses what stands below it or to its left, and core; rooms of the program also use the library. Orange: what the program does.")
  text(15, 602, 15, " font-weight=\"bold\"", "The way of an image, and where it happens")
  printf "<path d=\"M901 680V693H109V704\" fill=\"none\" stroke=\"#333\" stroke-width=\"1.4\" marker-end=\"url(#tip)\"/>\n"
  print "</svg>"
}' "$1"
