// One script for any page of a server: it shows <img src="photo.pcai"> and <pcai-image src="photo.pcai">, while they
// are downloaded, and of pictures that are shown small only what is seen.

import { inflated, tablesOf } from "./packed.js";
import { Picture } from "./picture.js";
import { serve } from "./worker.js";

const OWN = import.meta.url;

/** What lies beside the script, deflated; bundlers find these names. */
const BESIDE = {
  decoder: new URL("decoder.bin", import.meta.url),
  shared: new URL("shared.bin", import.meta.url),
  grades: [new URL("grade-0.bin", import.meta.url), new URL("grade-1.bin", import.meta.url), new URL("grade-2.bin", import.meta.url)],
};

/** How many components of each channel are seen in a photograph at a half, a quarter, an eighth of its size. */
const SEEN = { 2: 32, 4: 8, 8: 1 };
const FIRST = 8192; // bytes
const ROOM_AROUND = "50%";

const kept = new Map();

/** Something that is fetched once; what failed is tried again. */
function once(url, use) {
  if (!kept.has(url)) {
    const found = fetch(url).then(async (response) => {
      if (!response.ok) throw new Error(`The server answers ${response.status} for ${url.pathname}.`);
      return use(await inflated(new Uint8Array(await response.arrayBuffer())));
    });
    kept.set(url, found);
    found.catch(() => kept.delete(url));
  }
  return kept.get(url);
}

/** The decoder, and workers that go from picture to picture. */
const kit = {
  idle: [],
  grades: [],
  compiled: null,

  worker() {
    const origin = new URL(OWN).origin === location.origin;
    const script = origin ? OWN : URL.createObjectURL(new Blob([`import ${JSON.stringify(OWN)};`], { type: "text/javascript" }));
    return this.idle.pop() ?? new Worker(script, { type: "module" });
  },

  release(worker) {
    kit.idle.push(worker);
  },

  async tables(grade) {
    if (grade !== undefined) this.grades[grade] = await once(BESIDE.grades[grade], tablesOf);
    return [await once(BESIDE.shared, tablesOf), ...this.grades];
  },

  async open(content, options) {
    this.compiled = await once(BESIDE.decoder, (bytes) => WebAssembly.compile(bytes));
    return Picture.open(this, content, options);
  },
};

/** Lets so many at a time do something, the others in their order. */
class Lanes {
  #free = Math.max(1, navigator.hardwareConcurrency ?? 2);
  #waiting = [];

  async run(what) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
    try {
      return await what();
    } finally {
      if (this.#waiting.length) this.#waiting.shift()();
      else this.#free++;
    }
  }
}

const lanes = new Lanes();

/** The bytes of a file as far as they are there. */
class Download {
  #more = () => {};

  constructor(url) {
    Object.assign(this, { content: new Uint8Array(1 << 16), size: 0, done: false, stopped: new AbortController() });
    this.ended = this.#run(url).catch((error) => (this.error = error)).finally(() => {
      this.done = true;
      this.#more();
    });
  }

  async #run(url) {
    const response = await fetch(url, { signal: this.stopped.signal });
    if (!response.ok) throw new Error(`The server answers ${response.status}.`);
    for (const reader = response.body.getReader(); ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      if (this.size + value.length > this.content.length) {
        const larger = new Uint8Array(2 * (this.size + value.length));
        larger.set(this.content.subarray(0, this.size));
        this.content = larger;
      }
      this.content.set(value, this.size);
      this.size += value.length;
      this.#more();
    }
  }

  /** Waits for so many bytes, or for the end. */
  async upTo(size) {
    while (this.size < size && !this.done) await new Promise((resolve) => (this.#more = resolve));
    if (this.error && !this.stopped.signal.aborted) throw this.error;
    return this.content.slice(0, this.size);
  }
}

/** A picture of 8 bits in a file that every browser opens at once: BMP with masks of its four channels. */
function bitmapFile(width, height, pieces) {
  const head = new DataView(new ArrayBuffer(122)), size = 4 * width * height;
  const words = { 2: 122 + size, 10: 122, 14: 108, 18: width, 22: -height, 30: 3, 34: size, 54: 0xff, 58: 0xff00, 62: 0xff0000, 66: 0xff000000, 70: 0x73524742 };
  for (const [place, word] of Object.entries(words)) head.setInt32(Number(place), word, true);
  head.setUint16(0, 0x4d42, true);
  head.setUint16(26, 1, true);
  head.setUint16(28, 32, true);
  return new Blob([head, ...pieces], { type: "image/bmp" });
}

/** Decodes what is there of a file, and returns its colours. */
async function coloured(picture, { image = 0, reduction = 1 }) {
  await new Promise((resolve, reject) => {
    picture.onfault = reject;
    picture.onready = (ready) => ready >= picture.k && resolve();
    if (picture.ready >= picture.k) resolve();
  });
  const { info, k } = picture, look = await picture.look(image, k);
  const pieces = picture.pieces(image, reduction, k === info.k && reduction === 1).sort((a, b) => a.start - b.start);
  const found = pieces.map(({ hand, start, stop, part }) => picture.ask(hand, "colours", { k, start, stop, reduction, part, look }));
  return { width: Math.ceil(info.width / reduction), height: Math.ceil(info.height / reduction), pieces: await Promise.all(found) };
}

/** Decodes a file that is in memory: all of it, or `k` components, perhaps at a half, a quarter or an eighth of its size. */
export async function decode(content, { k = Infinity, reduction = 1, image = 0 } = {}) {
  return lanes.run(async () => {
    const picture = await kit.open(new Uint8Array(content), { needed: () => k });
    try {
      const { width, height, pieces } = await coloured(picture, { image, reduction });
      const found = new ImageData(width, height);
      let place = 0;
      for (const piece of pieces) {
        found.data.set(piece, place);
        place += piece.length;
      }
      return found;
    } finally {
      picture.close();
    }
  });
}

/** A picture without content, which gives an <img> its sides. */
function emptyFile({ width, height }) {
  return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`], { type: "image/svg+xml" });
}

/** A file that an <img> shows, whose `src` stays as it is. */
class Shown {
  constructor(img, url, { k = Infinity, image = 0 }) {
    Object.assign(this, { img, url: new URL(url, document.baseURI), source: img.getAttribute("src"), most: k, image, made: null, columns: 0, closed: false });
  }

  /** The largest reduction that leaves a pixel for each of the screen. */
  #fitting({ width, height }) {
    const [across, down] = [this.img.clientWidth, this.img.clientHeight].map((side) => side * devicePixelRatio);
    return [8, 4, 2].find((each) => across && width / each >= across && height / each >= down) ?? 1;
  }

  #enough({ method, channels }, reduction) {
    return Math.min(this.most, method === "photo" && SEEN[reduction] ? SEEN[reduction] * channels : Infinity);
  }

  async load() {
    const download = new Download(this.url);
    this.img.dataset.pcai = "loading";
    try {
      for (let size = FIRST, shown = 0, isWhole = false; !isWhole && !this.closed; ) {
        await download.upTo(size);
        await lanes.run(async () => {
          const content = await download.upTo(0); // perhaps more came meanwhile
          [size, isWhole] = [2 * content.length, download.done];
          const { k = 0, enough = false } = (!this.closed && (await this.#show(content, isWhole, shown))) || {};
          [shown, isWhole] = [Math.max(k, shown), isWhole || enough];
        });
      }
    } finally {
      download.stopped.abort();
    }
    if (!this.closed) this.img.dataset.pcai = "shown";
  }

  /** Shows what is there of a file, if that is more than `shown` components; returns how many there are, and whether
   * they are enough. */
  async #show(content, isWhole, shown) {
    let reduction;
    const needed = (info) => this.#enough(info, (reduction = this.#fitting(info)));
    const open = () => kit.open(content, { bounds: { salvage: !isWhole }, needed });
    let picture = await open().catch((refused) => {
      if (isWhole) throw refused;
    });
    if (!picture || (!isWhole && picture.k <= shown)) return picture?.close();
    try {
      const { info } = picture;
      if (!this.made) {
        await this.#put(emptyFile(info), info.width, info.width);
        if (this.#fitting(info) !== reduction) {
          picture.close();
          picture = await open();
        }
      }
      const { width, height, pieces } = await coloured(picture, { image: this.image, reduction });
      if (!this.closed) await this.#put(bitmapFile(width, height, pieces), width, info.width);
      return { k: picture.k, enough: picture.k >= this.#enough(info, reduction) };
    } finally {
      picture.close();
    }
  }

  /** Has the <img> show a file of so many columns as if it had others. */
  async #put(file, columns, shown) {
    const { img, made } = this;
    this.columns = columns;
    this.made = URL.createObjectURL(file);
    img.sizes = `${shown}px`;
    img.srcset = `${this.made} ${columns}w`;
    await img.decode().catch(() => {});
    if (made) URL.revokeObjectURL(made);
  }

  /** Loads more where an image became larger than what it has. */
  resized() {
    if (this.img.dataset.pcai === "shown" && this.img.clientWidth * devicePixelRatio > this.columns && this.columns < this.img.naturalWidth) begin(this);
  }

  close() {
    this.closed = true;
    if (this.made) URL.revokeObjectURL(this.made);
    for (const name of ["srcset", "sizes", "data-pcai"]) this.img.removeAttribute(name);
  }
}

const all = new WeakMap();
const sizes = globalThis.ResizeObserver && new ResizeObserver((entries) => entries.forEach(({ target }) => all.get(target)?.resized()));
const seen =
  globalThis.IntersectionObserver &&
  new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        begin(all.get(target));
      }
    },
    { rootMargin: ROOM_AROUND },
  );

function begin(shown) {
  const { img } = shown;
  shown.loading = shown.load().then(
    () => sizes.observe(img),
    (error) => {
      if (shown.closed) return;
      img.dataset.pcai = "failed";
      img.dispatchEvent(new CustomEvent("pcaierror", { bubbles: true, composed: true, detail: error.message }));
    },
  );
  return shown.loading;
}

/** Shows a file in an <img>, in place of what that shows: `k` components at most, of a stack an image. */
export async function show(img, url, options = {}) {
  all.get(img)?.close();
  const shown = new Shown(img, url, options);
  all.set(img, shown);
  if (img.loading === "lazy") seen.observe(img);
  else await begin(shown);
}

/** <pcai-image src alt k image loading>: an element that shows a file. */
const Base = globalThis.HTMLElement ?? Object;
export class PcaiImage extends Base {
  static observedAttributes = ["src", "alt", "k", "image", "width", "height"];

  constructor() {
    super();
    const style = document.createElement("style"), img = (this.img = document.createElement("img"));
    style.textContent = ":host { display: inline-block } :host([hidden]) { display: none } img { display: block; max-width: 100%; height: auto }";
    img.setAttribute("part", "img");
    this.attachShadow({ mode: "open" }).append(style, img);
  }

  attributeChangedCallback(name) {
    if (["alt", "width", "height"].includes(name)) this.img.setAttribute(name, this.getAttribute(name) ?? "");
    else if (this.isConnected) this.#show();
  }

  connectedCallback() {
    this.#show();
  }

  disconnectedCallback() {
    all.get(this.img)?.close();
  }

  #show() {
    if (!this.hasAttribute("src")) return;
    const number = (name, otherwise) => (this.hasAttribute(name) ? Number(this.getAttribute(name)) : otherwise);
    this.img.loading = this.getAttribute("loading") === "lazy" ? "lazy" : "eager";
    show(this.img, this.getAttribute("src"), { k: number("k", Infinity), image: number("image", 0) });
  }
}

/** Shows the images of a page that name a .pcai file, now and later. */
export function watch(root) {
  const take = (img) => {
    const url = img.getAttribute("src"), before = all.get(img);
    if (before && before.source === url) return;
    if (/^[^?#]*\.pcai([?#]|$)/.test(url)) show(img, url);
    else before?.close();
  };
  const within = (node) => [...(node.matches?.("img") ? [node] : []), ...(node.querySelectorAll?.("img") ?? [])];
  within(root).forEach(take);
  const changed = (records) => {
    for (const { type, target, addedNodes } of records) (type === "attributes" ? [target] : [...addedNodes].flatMap(within)).forEach(take);
  };
  new MutationObserver(changed).observe(root, { subtree: true, childList: true, attributeFilter: ["src"] });
}

if (globalThis.document) {
  customElements.define("pcai-image", PcaiImage);
  watch(document);
} else {
  serve();
}
