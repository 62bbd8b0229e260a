// What must be true of the page in a browser: browser_test.mjs BROWSER PAGES PAGE.HTML
import assert from 'node:assert/strict';
import {draw_a_ring, open_page} from './browser.mjs';

const [browser, pages, file] = process.argv.slice(2);
const {page, faults, close} = await open_page(browser, pages, file, {width: 1280, height: 900});

// What the page shows after the frames at hand: class, plane of the peak, size shown and read.
const state = () => page.evaluate(async () => {
  const {explorer} = scdcf;
  await explorer.settled;
  const {reading} = explorer.looks[0], {size, x, y} = explorer.shown;
  return {label: reading.label, plane: reading.plane, read: reading.size, size, x, y, said: document.getElementById('said').textContent,
          warned: document.getElementById('warning').textContent !== ''};
});

try {
  const difference = await page.evaluate(() => scdcf.explorer.agreement());
  console.log(`scores differ from the program's by ${difference.toExponential(1)}`);
  assert.ok(difference <= 1e-5, `scores differ from the program's by ${difference}`);

  await draw_a_ring(page);
  await page.evaluate(() => scdcf.explorer.show({size: 0.84}));
  const large = await state();
  assert.equal(large.label, 0, `a ring was taken for ${large.label}`);
  assert.match(large.said, /scdcfnet-full: 0, size read .*cnn: /);
  await page.click('#halve');
  const small = await state();
  console.log(`a ring of ${large.size} is read ${large.read.toFixed(2)} at plane ${large.plane}, ` +
              `of ${small.size} ${small.read.toFixed(2)} at plane ${small.plane}`);
  assert.equal(small.label, 0, 'half as large it is no ring any more');
  const moved_by = 4 * Math.log2(large.read / small.read);  // between planes too
  assert.ok(Math.abs(moved_by - 4) < 0.5, `the peak moved by ${moved_by} planes, an octave is four`);
  assert.ok(large.plane > small.plane);
  assert.ok(!small.warned);
  assert.equal(await page.$$eval('#maps th.peak', cells => cells.length), 1);

  await page.focus('#seen');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('+');
  const moved = await state();
  assert.ok(Math.abs(moved.x - 1 / 28) < 1e-9 && Math.abs(moved.size / small.size - 2 ** 0.125) < 1e-9, 'keys move and enlarge');
  await page.focus('#size');
  await page.keyboard.press('Home');
  assert.ok((await state()).warned, 'the smallest object is beyond the range');
  const box = await (await page.$('#seen')).boundingBox();
  await page.click('#reset');
  await page.mouse.move(box.x + 50, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 50, box.y + 50 + box.height / 4);
  await page.mouse.up();
  assert.ok(Math.abs((await state()).y - 0.25) < 0.01, 'dragging moves the picture');
  await page.click('#reset');
  await page.click('#pictures button:nth-child(3)');
  await state();
  assert.equal(await page.evaluate(() => scdcf.explorer.shown.picture.label), 2, 'the third picture is a two');
  await page.select('#maps-network', '1');
  await state();

  await page.setViewport({width: 390, height: 844});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'a phone need not scroll sideways');
  assert.deepEqual(faults, []);
} finally {
  await close();
}
