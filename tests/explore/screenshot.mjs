// A picture of a page: screenshot.mjs BROWSER PAGES PAGE.HTML OUT.PNG [WIDTH] [light|dark]
import {open_page, draw_a_ring} from './browser.mjs';

const [browser, pages, file, out, width = '1100', scheme = 'light'] = process.argv.slice(2);
const {page, close} = await open_page(browser, pages, file, {width: Number(width), height: 900}, scheme);
await draw_a_ring(page);
await page.evaluate(() => scdcf.explorer.show({size: scdcf.explorer.unit / Math.SQRT2}));
await page.screenshot({path: out, fullPage: true});
await close();
