// What tests of pages stand on: browsers without a screen, a server, and the files that `make pages` made.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";

export const BUILT = process.env.PAGES;
export const GOLDEN = new URL("../golden/", import.meta.url).pathname;
const { default: puppeteer } = await import(pathToFileURL(createRequire(join(BUILT, "x.js")).resolve("puppeteer-core")));

export const BROWSERS = JSON.parse(process.env.BROWSERS);

export function launch(name) {
  const chrome = name === "chrome" ? { args: ["--no-sandbox"] } : {};
  return puppeteer.launch({ browser: name, executablePath: BROWSERS[name], headless: true, ...chrome });
}

/** A new page, which keeps what it asked for and what went wrong. */
export async function newPage(browser, [width, height] = [1000, 700]) {
  const page = await browser.newPage(), faults = [], requests = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  await page.setViewport({ width, height });
  return Object.assign(page, { faults, requests });
}

export const fileOf = (name) => pathToFileURL(join(BUILT, name)).href;

/** Waits until the picture of a page is decoded and painted as it is wanted. */
export function settled(page) {
  return page.waitForFunction(() => {
    const panel = globalThis.pcai?.viewer ? globalThis.pcai.viewer.shown?.panel : globalThis.pcai;
    if (!panel) return false;
    const { picture, view } = panel, { main, less } = view.layers;
    const is = (layer, k) => layer.isWhole() && layer.shown?.k === k;
    return picture.ready === picture.info.k && view.look && is(main, view.k) && (view.fewer === null || is(less, view.fewer)) && view.frame === null;
  });
}

/** A server of some folders on this machine, and of the texts of `written`. Files that `held` names come to a half, and
 * the rest when it is resolved. */
export async function serve(folders) {
  const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
  const [written, held] = [{}, {}];
  const server = createServer(async ({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://x").pathname));
    for (const folder of folders) {
      try {
        const content = Buffer.from(written[path] ?? (await readFile(join(folder, path)))), piece = 1 << 14;
        response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
        for (let place = 0; place < content.length && !response.destroyed; place += piece) {
          if (held[path] && place > content.length / 2) await held[path];
          response.write(content.subarray(place, place + piece));
        }
        return response.end();
      } catch {}
    }
    response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, written, held, close: () => server.close() };
}
