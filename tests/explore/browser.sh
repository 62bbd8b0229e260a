#!/bin/sh
# browser.sh PROGRAM PAGES SCRATCH: trains two small networks on drawn digits of one size, writes their page and uses it.
set -eu
program=$1 pages=${SCDCF_PAGES:-$2} scratch=$3
skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null || skip "node is missing (make deps)"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "chromium is missing (make deps)"
for package in onnxruntime-web puppeteer-core; do
  [ -d "$pages/node_modules/$package" ] || skip "$package is missing in $pages (make pages-deps)"
done
rm -rf "$scratch"
mkdir -p "$scratch"
export SCDCF_PAGES="$pages"
data="--data sglyphs --validation-size 50 --test-size 50 --smallest-factor 0.55 --largest-factor 0.65 --channels 8,16,24 --batch 32"
"$program" --threads 1 train --model scdcfnet-full $data --train-size 500 --smaller 2 --larger 1.7 --epochs 6 --out "$scratch/full" >"$scratch/full.txt"
"$program" --threads 1 train --model cnn $data --train-size 200 --epochs 2 --out "$scratch/cnn" >"$scratch/cnn.txt"
"$program" explore "$scratch/full" --beside "$scratch/cnn" --out "$scratch/page.html"
exec node "$(dirname "$0")/browser_test.mjs" "$browser" "$pages" "$scratch/page.html"
