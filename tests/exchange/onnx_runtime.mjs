// node onnx_runtime.mjs PACKAGES FOLDER: runs each FOLDER/NAME.onnx with ONNX Runtime (its WebAssembly, as in a browser)
// on the images of NAME.json, and holds what it says against what NAME.json has of C++. Exit code 1 where they differ.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// Of the largest number of an output. A size is read between planes, off the small differences of their scores.
const largestDifference = (output) => (output === "size" ? 1e-4 : 1e-5);
const [packages, folder] = process.argv.slice(2);
const ort = createRequire(join(packages, "package.json"))("onnxruntime-web");
ort.env.wasm.numThreads = 1;

function difference(got, expected) {
  if (got.length !== expected.length) return Infinity;
  let largest = 0, apart = 0;
  expected.forEach((number, i) => {
    largest = Math.max(largest, Math.abs(number));
    apart = Math.max(apart, Math.abs(Number(got[i]) - number));
  });
  return apart === 0 ? 0 : apart / largest;  // NaN where one is
}

async function answers(session, { shape, images }, count) {
  const numbers = Float32Array.from(images.slice(0, (images.length / shape[0]) * count));
  return session.run({ images: new ort.Tensor("float32", numbers, [count, ...shape.slice(1)]) });
}

const files = readdirSync(folder).filter((name) => name.endsWith(".onnx"));
let failed = files.length === 0;
for (const file of files) {
  const session = await ort.InferenceSession.create(readFileSync(join(folder, file)));
  const known = JSON.parse(readFileSync(join(folder, file.replace(/onnx$/, "json"))));
  const all = await answers(session, known, known.shape[0]), one = await answers(session, known, 1);
  for (const [name, expected] of Object.entries(known.outputs)) {
    const apart = difference(all[name].data, expected);
    const alone = difference(one[name].data, expected.slice(0, expected.length / known.shape[0]));
    console.log(`${file} ${name} ${apart.toExponential(1)}, one image ${alone.toExponential(1)}`);
    failed ||= !(Math.max(apart, alone) <= largestDifference(name));
  }
}
process.exit(failed ? 1 : 0);
