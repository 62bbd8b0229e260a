// A page of `scdcf explore` in a browser of its own: open_page(BROWSER, PAGES, PAGE.HTML).
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

// {page, faults, close}: ready, with what went wrong so far: errors, and whatever it asked the network for.
export async function open_page(executablePath, pages, file, viewport, scheme = 'light') {
  const puppeteer = createRequire(resolve(pages, 'x.js'))('puppeteer-core');
  const userDataDir = mkdtempSync(join(tmpdir(), 'scdcf_browser_'));
  const browser = await puppeteer.launch({
    executablePath, userDataDir, headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
           '--no-first-run'],
  });
  const close = async () => {
    await browser.close();
    rmSync(userDataDir, {recursive: true, force: true});
  };
  try {
    const page = await browser.newPage(), faults = [];
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => message.type() === 'error' && faults.push(message.text()));
    page.on('request', request => /^(https?|wss?):/.test(request.url()) && faults.push(`asks for ${request.url()}`));
    await page.setViewport(viewport);
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
    await page.goto(pathToFileURL(resolve(file)).href);
    await page.evaluate(() => scdcf.ready.then(() => {}));
    return {page, faults, close};
  } catch (error) {
    await close();
    throw error;
  }
}

// With the mouse, on the pad.
export async function draw_a_ring(page) {
  const box = await (await page.$('#pad')).boundingBox();
  const at = turn => [box.x + box.width * (0.5 - 0.2 * Math.sin(turn)), box.y + box.height * (0.5 - 0.3 * Math.cos(turn))];
  await page.mouse.move(...at(0));
  await page.mouse.down();
  for (let i = 1; i <= 24; ++i) await page.mouse.move(...at(i / 24 * 2 * Math.PI));
  await page.mouse.up();
}
