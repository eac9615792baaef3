// The script for any page, in browsers: pictures of <img> and <pcai-image> while they come from a server.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { BROWSERS, BUILT, GOLDEN, launch, newPage, serve } from "./browsers.mjs";

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' blob: data:; connect-src 'self'; style-src 'unsafe-inline'";

/** A page with the script, and what it is to show. */
const written = (body) =>
  `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><link rel="icon" href="data:,"><script type="module" src="npm/pcai.js"></script><body>${body}`;

const shown = (page, selector = "img") => page.waitForFunction((all) => Array.from(document.querySelectorAll(all)).every((img) => ["shown", "failed"].includes((img.img ?? img).dataset.pcai)), {}, selector);

/** The sides of an image, and the pixels that it shows, perhaps smaller: red, green, blue and opacity. */
const pixels = (page, selector, smaller = 1) =>
  page.$eval(
    selector,
    async (found, by) => {
      const img = found.img ?? found, { naturalWidth: width, naturalHeight: height } = img;
      await img.decode();
      const context = new OffscreenCanvas(width / by, height / by).getContext("2d");
      context.drawImage(img, 0, 0, width / by, height / by);
      return { width, height, data: Array.from(context.getImageData(0, 0, width / by, height / by).data) };
    },
    smaller,
  );

for (const name of Object.keys(BROWSERS)) {
  describe(`pcai.js in ${name}`, () => {
    let browser, server, page;
    before(async () => {
      [browser, server] = [await launch(name), await serve([BUILT, GOLDEN])];
      page = await newPage(browser);
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    /** Opens a page with some elements. */
    const visit = async (body) => {
      server.written["/site.html"] = written(body);
      await page.goto(`${server.url}site.html`);
    };

    test("an <img> and an element show the program's pixels", async () => {
      await visit('<img src="photo.pcai" alt="Coffee"><pcai-image src="photo-alpha-metadata.pcai" alt="Half seen"></pcai-image><pcai-image src="bands.pcai"></pcai-image>');
      await shown(page, "img, pcai-image");
      const photo = await pixels(page, "img"), raw = await readFile(`${BUILT}/photo.raw`);
      assert.deepEqual([photo.width, photo.height], [600, 400]);
      assert.ok(photo.data.every((value, place) => (place % 4 === 3 ? value === 255 : value === raw[3 * (place >> 2) + (place % 4)])));
      const half = await pixels(page, "pcai-image"), opacity = (await readFile(`${BUILT}/opacity.raw`)).filter((_, place) => place % 4 === 3);
      assert.deepEqual(half.data.filter((_, place) => place % 4 === 3), Array.from(opacity));
      assert.equal(await page.$eval("pcai-image", (element) => element.img.alt), "Half seen");
      const cube = await pixels(page, "pcai-image:last-of-type");
      assert.ok(new Set(cube.data).size > 20);
      assert.deepEqual(page.faults, []);
    });

    test("a picture is seen while it is downloaded, and is exact when it is whole", async () => {
      let release;
      server.held["/large.pcai"] = new Promise((resolve) => (release = resolve));
      await visit('<pcai-image src="large.pcai"></pcai-image>');
      await page.waitForFunction(() => {
        const { img } = document.querySelector("pcai-image"), context = new OffscreenCanvas(64, 64).getContext("2d");
        if (img?.naturalWidth !== 1800) return false;
        context.drawImage(img, 0, 0, 64, 64);
        return new Set(context.getImageData(0, 0, 64, 64).data).size > 50;
      });
      const early = await pixels(page, "pcai-image", 4);
      assert.equal(await page.$eval("pcai-image", ({ img }) => img.dataset.pcai), "loading");
      release();
      delete server.held["/large.pcai"];
      await shown(page, "pcai-image");
      const late = await pixels(page, "pcai-image", 4);
      assert.deepEqual([late.width, late.height], [1800, 1200]);
      const apart = late.data.reduce((sum, value, place) => sum + Math.abs(value - early.data[place]), 0) / late.data.length;
      assert.ok(apart > 0.1 && apart < 30, String(apart));
    });

    test("a small picture takes the first bytes alone, and the rest when it grows", async () => {
      server.held["/large.pcai"] = new Promise(() => {}); // the second half never comes
      await visit('<pcai-image src="large.pcai" width="150" height="100"></pcai-image>');
      await shown(page, "pcai-image");
      delete server.held["/large.pcai"];
      await page.$eval("pcai-image", (element) => {
        element.setAttribute("width", "1800");
        element.setAttribute("height", "1200");
      });
      await page.waitForFunction(() => document.querySelector("pcai-image").img.srcset.endsWith(" 1800w"));
      await shown(page, "pcai-image");
      assert.equal(await page.$eval("pcai-image", ({ img }) => img.naturalWidth), 1800);
    });

    test("images that come later are shown, and those that cannot be say why", async () => {
      await visit("<p></p>");
      await page.evaluate(() => {
        globalThis.said = [];
        document.addEventListener("pcaierror", ({ detail }) => globalThis.said.push(detail));
        for (const name of ["photo.pcai", "missing.pcai", "expected.json?x.pcai", "lent-blocks.pcai"]) {
          const img = document.createElement("img");
          img.src = name;
          document.querySelector("p").append(img);
        }
      });
      await page.waitForFunction(() => document.querySelector("img").dataset.pcai === "shown" && globalThis.said.length === 2);
      const said = await page.evaluate(() => globalThis.said.sort());
      assert.match(said[0], /model file/);
      assert.match(said[1], /404/);
      await page.$eval("img", (img) => (img.src = "data:,"));
      await page.waitForFunction(() => !document.querySelector("img").hasAttribute("srcset"));
    });

    test("programs decode files in memory", async () => {
      await visit("");
      const found = await page.evaluate(async () => {
        const { decode } = await import("/npm/pcai.js"), content = await (await fetch("/photo.pcai")).arrayBuffer();
        const [whole, eighth] = [await decode(content), await decode(content, { reduction: 8 })];
        return [Array.from(whole.data), eighth.width, eighth.height];
      });
      const raw = await readFile(`${BUILT}/photo.raw`);
      assert.deepEqual(found.slice(1), [75, 50]);
      assert.ok(found[0].every((value, place) => place % 4 === 3 || value === raw[3 * (place >> 2) + (place % 4)]));
    });
  });
}
