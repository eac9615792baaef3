// Pages in browsers, used as a person does: with mouse, wheel, keys and fingers.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { inflateSync } from "node:zlib";
import { BROWSERS, BUILT, fileOf, GOLDEN, launch, newPage, serve, settled } from "./browsers.mjs";

const expected = JSON.parse(await readFile(`${GOLDEN}expected.json`, "utf8"));

/** 64 bytes that claim an image of 4 gigabytes. */
const CLAIM = Buffer.from("89504341490d0a1a10480f0040010101000800000000010180800405" + "9709b04d00b7230e04430301050018e471b7450101ee970ce7", "hex");

const golden = async (name) => (await readFile(`${GOLDEN}${name}.pcai`)).toString("base64");

/** The picture on a canvas, as a digest. */
const painted = (page) =>
  page.evaluate(async () => {
    const canvas = document.querySelector("canvas"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", data))).join();
  });

/** The numbers of a PNG without its filters. */
function unfiltered(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)], step = { 0: 1, 2: 3, 4: 2, 6: 4 }[png[25]] * (png[24] / 8);
  const raw = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33))), pixels = Buffer.alloc(width * height * step);
  const at = (line, place) => (line < 0 || place < 0 ? 0 : pixels[line * width * step + place]);
  for (let line = 0; line < height; line++) {
    assert.equal(raw[line * (width * step + 1)], 4);
    for (let place = 0; place < width * step; place++) {
      const [a, b, c] = [at(line, place - step), at(line - 1, place), place < step ? 0 : at(line - 1, place - step)];
      const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      pixels[line * width * step + place] = raw[line * (width * step + 1) + 1 + place] + (da <= db && da <= dc ? a : db <= dc ? b : c);
    }
  }
  return pixels;
}

/** Has the page save its picture, and returns the file. */
async function saved(page) {
  await page.evaluate(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      globalThis.savedFile = blob;
      return make.call(URL, blob);
    };
  });
  await page.evaluate(() => document.querySelector(".buttons > :last-child").click());
  await page.waitForFunction(() => globalThis.savedFile);
  const text = await page.evaluate(async () => Array.from(new Uint8Array(await globalThis.savedFile.arrayBuffer())));
  return Buffer.from(text);
}

for (const name of Object.keys(BROWSERS)) {
  describe(name, () => {
    let browser, server;
    before(async () => {
      [browser, server] = [await launch(name), await serve([BUILT, GOLDEN])];
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    test("every golden file has the program's pixels, by two workers", async () => {
      const page = await newPage(browser);
      await page.goto(fileOf("viewer.html"));
      await page.waitForFunction(() => globalThis.pcai);
      const lenders = await Promise.all(Object.keys(expected).filter((each) => !each.startsWith("lent-")).map(golden));
      await page.evaluate((all) => (globalThis.lenders = all.map((text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0)))), lenders);
      for (const [file, { pixels, shape, dtype }] of Object.entries(expected)) {
        const found = await page.evaluate(
          async (text, counts, lent) => {
            const { viewer, Picture } = globalThis.pcai, content = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
            const picture = await Picture.open(viewer.kit, content, { models: lent ? globalThis.lenders : [], hands: 2 });
            const { info } = picture;
            if (picture.ready < info.k) await new Promise((resolve) => (picture.onready = (ready) => ready === info.k && resolve()));
            const lines = {};
            for (const k of counts) {
              lines[k] = "";
              for (let image = 0; image < (k === info.k && info.corrections ? 1 : info.images); image++) {
                for (const { hand, start, stop, part } of picture.pieces(image, 1, k === info.k)) {
                  const numbers = await picture.ask(hand, "numbers", { k, start, stop, reduction: 1, part });
                  for (const byte of new Uint8Array(numbers.buffer)) lines[k] += String.fromCharCode(byte);
                }
              }
              lines[k] = btoa(lines[k]);
            }
            picture.close();
            return lines;
          },
          await golden(file), Object.keys(pixels).map(Number), file.startsWith("lent-"),
        );
        for (const [k, digest] of Object.entries(pixels)) {
          const hash = createHash("sha256").update(`${shape.join("x")} ${dtype} `).update(Buffer.from(found[k], "base64"));
          assert.equal(hash.digest("hex"), digest, `${file}, k = ${k}`);
        }
      }
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    test("a page is moved, zoomed and compared, and asks for nothing", async () => {
      const page = await newPage(browser);
      await page.goto(fileOf("photo.html"));
      await settled(page);
      const views = [await painted(page)];
      const changes = async (what) => {
        await settled(page);
        const now = await painted(page);
        assert.notEqual(now, views.at(-1), what);
        views.push(now);
      };
      const state = () => page.evaluate(() => (({ x, y, scale, k, fewer, split }) => ({ x, y, scale, k, fewer, split }))(globalThis.pcai.view));
      await page.focus("input[type=range]");
      await page.keyboard.press("Home");
      assert.equal((await state()).k, 1);
      await changes("k by keys");
      await page.click("button[aria-pressed]");
      await changes("comparison");
      const handle = await (await page.$(".split")).boundingBox();
      await page.mouse.move(handle.x + 12, handle.y + 100);
      await page.mouse.down();
      await page.mouse.move(handle.x - 150, handle.y + 100, { steps: 4 });
      await page.mouse.up();
      assert.ok((await state()).split < 0.4);
      await page.click("button[aria-pressed]");
      await page.mouse.move(500, 300);
      await page.mouse.wheel({ deltaY: -500 });
      await changes("wheel");
      const { scale, x } = await state();
      assert.ok(scale > 2);
      await page.mouse.down();
      await page.mouse.move(420, 300, { steps: 5 });
      await page.mouse.up();
      assert.ok((await state()).x > x);
      await changes("drag");
      await page.focus("canvas");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("-");
      assert.ok((await state()).scale < scale);
      await page.keyboard.press("0");
      await page.focus("input[type=range]");
      await page.keyboard.press("End");
      await settled(page);
      assert.equal(await painted(page), views[0]);
      assert.deepEqual(page.requests.filter((url) => !/^(data|blob):/.test(url) && url !== fileOf("photo.html")), []);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    test("a saved PNG has the very pixels", async () => {
      const page = await newPage(browser);
      for (const file of ["photo", "lossless", "opacity", "sixteen"]) {
        await page.goto(fileOf(`${file}.html`));
        await settled(page);
        const found = unfiltered(await saved(page)), wanted = await readFile(`${BUILT}/${file}.raw`);
        assert.ok(found.equals(wanted), file);
      }
      await page.close();
    });

    test("a cube shows three bands, and the spectrum of a pixel", async () => {
      const page = await newPage(browser);
      await page.goto(fileOf("cube.html"));
      await settled(page);
      const before = await painted(page);
      const stage = await (await page.$("canvas")).boundingBox();
      await page.mouse.click(stage.x + stage.width / 2, stage.y + stage.height / 2);
      await page.waitForSelector(".spectrum .curve");
      const values = await page.$eval(".curve", (curve) => curve.getAttribute("points").split(" ").length);
      assert.equal(values, await page.evaluate(() => globalThis.pcai.picture.info.channels));
      await page.$eval("input[type=number]", (input) => {
        input.value = "1";
        input.dispatchEvent(new Event("change"));
      });
      await page.waitForFunction(() => globalThis.pcai.view.look.channels[0] === 0);
      await settled(page);
      assert.notEqual(await painted(page), before);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    test("a stack shows its images, and plays", async () => {
      const page = await newPage(browser);
      await page.goto(fileOf("stack.html"));
      await settled(page);
      const before = await painted(page);
      await page.click(".row button");
      await page.waitForFunction(() => {
        if (globalThis.pcai.view.image !== 1) return false;
        document.querySelector(".row button").click();
        return true;
      });
      await settled(page);
      assert.notEqual(await painted(page), before);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    test("on a phone nothing is beside the screen, and two fingers zoom", async () => {
      const page = await newPage(browser, [360, 640]);
      await page.goto(fileOf("photo.html"));
      await settled(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const fit = await page.evaluate(() => globalThis.pcai.view.scale);
      await page.evaluate(() => {
        const canvas = document.querySelector("canvas");
        canvas.setPointerCapture = () => {}; // of pointers that no hand has
        const touch = (type, pointerId, clientX) => canvas.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 200, pointerType: "touch" }));
        touch("pointerdown", 11, 150);
        touch("pointerdown", 12, 200);
        touch("pointermove", 12, 300);
        touch("pointerup", 11, 150);
        touch("pointerup", 12, 300);
      });
      assert.ok((await page.evaluate(() => globalThis.pcai.view.scale)) > 2 * fit);
      await page.close();
    });

    test("everything that is used has a name for screen readers", async () => {
      const page = await newPage(browser);
      for (const file of ["photo", "cube", "stack"]) {
        await page.goto(fileOf(`${file}.html`));
        await settled(page);
        const nameless = await page.$$eval("button, input, canvas, [role=slider]", (all) => all.filter((each) => !(each.getAttribute("aria-label") ?? each.textContent.trim())).map((each) => each.outerHTML));
        assert.deepEqual(nameless, []);
      }
      await page.close();
    });

    test("the viewer takes dropped files and addresses, and refuses with a sentence", async () => {
      const page = await newPage(browser);
      await page.goto(`${server.url}viewer.html?file=photo.pcai`);
      await settled(page);
      const drop = (files) =>
        page.evaluate((all) => {
          const dataTransfer = new DataTransfer();
          for (const [name, text] of all) dataTransfer.items.add(new File([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))], name));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }, files);
      await drop([["bands.pcai", await golden("bands")], ["stack.pcai", await golden("stack")]]);
      await page.waitForFunction(() => globalThis.pcai.viewer.tabs.length === 3);
      await settled(page);
      const photo = Buffer.from(await golden("photo"), "base64"), damaged = Buffer.from(photo);
      damaged[photo.length >> 1] ^= 255;
      const bad = { "cut.pcai": photo.subarray(0, 40), "damaged.pcai": damaged, "words.pcai": Buffer.from("no image"), "claim.pcai": CLAIM };
      for (const [file, content] of Object.entries(bad)) {
        await drop([[file, content.toString("base64")]]);
        await page.waitForFunction((start) => document.querySelector(".said").textContent.startsWith(start), {}, `${file} cannot be shown: `);
        assert.equal(await page.evaluate(() => globalThis.pcai.viewer.tabs.length), 3);
      }
      await page.click(".tab .close");
      assert.equal(await page.evaluate(() => globalThis.pcai.viewer.tabs.length), 2);
      assert.ok(page.requests.every((url) => url.startsWith(server.url) || /^(data|blob):/.test(url)));
      await page.close();
    });
  });
}
