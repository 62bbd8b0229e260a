// fit_scores.mjs BROWSER PAGES REQUEST.json: what fit_page.html, in a browser, gives for the image files of each run.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {open_page} from '../explore/browser.mjs';

const [browser, pages, request] = process.argv.slice(2);
const {runs, files, browser_scores} = JSON.parse(readFileSync(request));
const runtime = join(pages, 'node_modules/onnxruntime-web/dist');
const {page, faults, close} = await open_page(browser, pages, join(import.meta.dirname, 'fit_page.html'), {width: 800, height: 600});
try {
  const give = async (id, ...paths) => (await page.$(id)).uploadFile(...paths);
  await give('#runtime', join(runtime, 'ort.wasm.bundle.min.mjs'), join(runtime, 'ort-wasm-simd-threaded.wasm'));
  await give('#images', ...files);
  const all = [];
  for (const {onnx} of runs) {
    await give('#model', `${onnx}.json`, onnx);
    all.push(await page.evaluate(() => scores()));
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  writeFileSync(browser_scores, JSON.stringify(all));
} finally {
  await close();
}
