// What stands around a picture: its figures, sliders, comparison, bands and spectrum, images of a stack, saving.

import { png } from "./png.js";
import { number, tr } from "./speech.js";
import { View } from "./view.js";

const SVG = "http://www.w3.org/2000/svg";
const TYPE_NAMES = ["", tr("{bits} bits", { bits: 8 }), tr("{bits} bits", { bits: 16 }), tr("16 bits with sign"), tr("floating point")];

/** Makes an element of a page. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export function sizeText(bytes) {
  const [unit, digits] = bytes >= 1e6 ? [1e6, 2] : bytes >= 1e3 ? [1e3, 1] : [1, 0];
  const size = number(bytes / unit, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${size}\u00a0${{ 1e6: tr("MB"), 1e3: tr("KB"), 1: tr("B") }[unit]}`;
}

/** Durations of a stack's images in milliseconds (chunk `t`); a tenth of a second each if there are none. */
function durations(chunks, images) {
  const bytes = chunks.find(({ letter }) => letter === "t")?.bytes ?? new Uint8Array(), numbers = [];
  for (let value = 0, shift = 1, place = 0; place < bytes.length; place++) {
    value += (bytes[place] & 127) * shift;
    shift *= 128;
    if (bytes[place] < 128) {
      numbers.push(value);
      [value, shift] = [0, 1];
    }
  }
  const found = [];
  for (let place = 1; place + 1 < numbers.length && found.length <= images; place += 2) {
    for (let i = 0; i < Math.min(numbers[place], images); i++) found.push(numbers[place + 1] / 1000);
  }
  return found.length === images ? found : Array(images).fill(100);
}

/** The wavelengths and names of bands (chunk `b`), as far as there are some. */
async function bandsOf(chunks) {
  const bytes = chunks.find(({ letter }) => letter === "b")?.bytes;
  if (!bytes || bytes[0] !== 1) return {};
  try {
    const inflated = new Blob([bytes.subarray(1)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return await new Response(inflated).json();
  } catch {
    return {};
  }
}

export class Panel {
  constructor(root, picture, { name, size }) {
    Object.assign(this, { picture, name, size, bands: {} });
    const { info } = picture;
    this.canvas = element("canvas", { tabIndex: 0, role: "img" });
    this.handle = element("div", { className: "split", tabIndex: 0, role: "slider", hidden: true, "aria-label": tr("Where the two pictures meet"), "aria-valuemin": "0", "aria-valuemax": "100" });
    this.note = element("p", { className: "note", role: "status" });
    this.stage = element("div", { className: "stage" }, this.canvas, this.handle, this.note);
    this.spectrum = element("figure", { className: "spectrum", hidden: true });
    this.view = new View(this.canvas, picture);
    this.controls = element("div", { className: "controls" });
    root.replaceChildren(this.#heading(), this.stage, this.spectrum, this.controls);
    this.#components();
    if (info.images > 1) this.#images();
    if (picture.isCube) this.#bandControls();
    this.#buttons();
    this.#splitting();
    picture.onready = () => this.#progress();
    picture.onfault = (refused) => this.say(tr("A part of the file is damaged: {reason}", { reason: tr(refused.message) }));
    this.view.changed = () => this.#place();
    this.view.clicked = (pixel) => this.#clicked(pixel);
    this.#progress();
    bandsOf(info.chunks).then((bands) => this.#named(bands));
  }

  say(sentence) {
    this.note.textContent = sentence;
  }

  #heading() {
    const { info } = this.picture, count = info.channels;
    const channels = info.method === "bands" && count > 4 ? tr("{channels} bands", { channels: count }) : tr("{channels} channels", { channels: count });
    const figures = [
      ...(info.images > 1 ? [tr("{count} images", { count: info.images })] : []),
      `${info.width} × ${info.height}`,
      count === 1 ? tr("grey") : channels,
      TYPE_NAMES[info.type],
      info.k === 1 ? tr("1 component") : tr("{k} components", { k: info.k }),
      sizeText(this.size),
    ];
    return element("header", {}, element("h1", { textContent: this.name }), element("p", { textContent: figures.join(" · ") }));
  }

  #slider(label, { min, max, value }, moved) {
    const output = element("output");
    const input = element("input", { type: "range", min, max, step: 1, value: String(value), "aria-label": label });
    input.oninput = () => moved(Number(input.value));
    return { row: element("label", { className: "row" }, element("span", { textContent: label }), input, output), input, output };
  }

  #components() {
    const { view, picture } = this, { k } = picture.info;
    const told = (count) => `${tr("{count} of {k}", { count, k })} · ${sizeText(picture.bytes(count))}`;
    const least = Math.min(1, k);
    this.main = this.#slider(tr("Components"), { min: least, max: k, value: k }, (count) => {
      this.main.output.textContent = told(count);
      view.show({ k: count });
      this.#describe();
    });
    this.less = this.#slider(tr("Compared with"), { min: least, max: k, value: Math.max(least, Math.round(k / 4)) }, (count) => {
      this.less.output.textContent = told(count);
      view.show({ fewer: count });
      this.#describe();
    });
    for (const slider of [this.main, this.less]) slider.output.textContent = told(Number(slider.input.value));
    this.less.row.hidden = true;
    this.controls.append(this.main.row, this.less.row);
  }

  #images() {
    const { view, picture } = this, { images } = picture.info, times = durations(picture.info.chunks, images);
    const slider = this.#slider(tr("Image"), { min: 1, max: images, value: 1 }, (number) => show(number - 1));
    const play = element("button", { type: "button", textContent: tr("Play"), "aria-pressed": "false" });
    const show = (image) => {
      slider.input.value = String(image + 1);
      slider.output.textContent = tr("{count} of {k}", { count: image + 1, k: images });
      view.show({ image });
    };
    let timer = null;
    const advance = () => {
      // The next image comes when this one was seen.
      if (view.layers.main.isWhole()) show((view.image + 1) % images);
      timer = setTimeout(advance, Math.max(times[view.image], 20));
    };
    play.onclick = () => {
      if (timer === null) timer = setTimeout(advance, times[view.image]);
      else timer = clearTimeout(timer) ?? null;
      play.textContent = timer === null ? tr("Play") : tr("Pause");
      play.setAttribute("aria-pressed", String(timer !== null));
    };
    slider.row.append(play);
    this.controls.append(slider.row);
    show(0);
  }

  #bandControls() {
    const { colours: chosen, info } = this.picture, { channels } = info;
    const names = chosen.length === 1 ? [tr("Band")] : [tr("Red band"), tr("Green band"), tr("Blue band")];
    this.bandInputs = chosen.map((channel, place) => {
      const input = element("input", { type: "number", min: "1", max: String(channels), value: String(channel + 1), "aria-label": names[place] });
      input.onchange = () => this.#stretch();
      return input;
    });
    this.wavelengths = element("output");
    const text = element("span", { textContent: names.length === 1 ? tr("Band") : tr("Bands as red, green, blue") });
    this.controls.append(element("div", { className: "row bands" }, text, ...this.bandInputs, this.wavelengths));
    this.say(tr("Click a pixel to see its spectrum."));
  }

  /** Stretches the chosen bands from the second to the ninety-eighth percentile. */
  async #stretch() {
    const { picture, view } = this, { info } = picture;
    const channels = this.bandInputs.map((input) => Math.max(1, Math.min(info.channels, Math.round(Number(input.value)) || 1)) - 1);
    channels.forEach((channel, place) => (this.bandInputs[place].value = String(channel + 1)));
    this.#tellWavelengths(channels);
    view.look = await picture.look(view.image, Math.min(view.k, picture.ready), channels);
  }

  #tellWavelengths(channels) {
    const known = this.bands.wavelengths;
    const named = (channel) => known?.[channel] ?? this.bands.names?.[channel];
    const texts = channels.map(named).filter((text) => text !== undefined && text !== null);
    this.wavelengths.textContent = texts.length ? `${texts.join(", ")} ${known && this.bands.unit ? this.bands.unit : ""}` : "";
  }

  #named(bands) {
    this.bands = bands;
    if (this.bandInputs) this.#tellWavelengths(this.bandInputs.map((input) => Number(input.value) - 1));
  }

  #buttons() {
    const { view } = this;
    const button = (textContent, label, onclick) => element("button", { type: "button", textContent, onclick, "aria-label": label });
    this.zoomed = element("output", { className: "zoom" });
    this.compare = element("button", { type: "button", textContent: tr("Compare"), "aria-pressed": "false" });
    this.compare.onclick = () => this.#setComparing(view.fewer === null);
    this.save = button(tr("Save as PNG"), tr("Save as PNG"), () => this.#save());
    this.controls.append(
      element(
        "div",
        { className: "buttons" },
        this.compare,
        button(tr("Fit"), tr("Fit to the window"), () => view.fit()),
        button("100 %", tr("A pixel of the picture for each of the screen"), () => view.zoom(1 / devicePixelRatio)),
        button("−", tr("Smaller"), () => view.zoom(view.scale / 1.25)),
        button("+", tr("Larger"), () => view.zoom(1.25 * view.scale)),
        this.zoomed,
        this.save,
      ),
    );
  }

  #setComparing(comparing) {
    this.compare.setAttribute("aria-pressed", String(comparing));
    this.less.row.hidden = this.handle.hidden = !comparing;
    this.view.show({ fewer: comparing ? Number(this.less.input.value) : null });
    this.#place();
    this.#describe();
  }

  #splitting() {
    const { handle, view, canvas } = this;
    const put = (split) => {
      view.show({ split: Math.max(0, Math.min(1, split)) });
      this.#place();
    };
    handle.onpointerdown = (event) => handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (event) => {
      const { left, width } = canvas.getBoundingClientRect();
      if (handle.hasPointerCapture(event.pointerId)) put((event.clientX - left) / width);
    };
    handle.onkeydown = (event) => {
      const step = { ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1 }[event.key];
      if (step) put(view.split + step);
    };
  }

  #place() {
    this.handle.style.left = `${100 * this.view.split}%`;
    this.handle.setAttribute("aria-valuenow", String(Math.round(100 * this.view.split)));
    this.zoomed.textContent = `${Math.round(100 * this.view.scale * devicePixelRatio)} %`;
  }

  #describe() {
    const { view } = this, { k } = this.picture.info;
    const told = { name: this.name, count: view.k, k, fewer: view.fewer };
    const alone = tr("{name}, from {count} of {k} components", told), both = tr("{name}, from {count} of {k} components, beside it from {fewer}", told);
    this.canvas.setAttribute("aria-label", view.fewer === null ? alone : both);
  }

  #progress() {
    const { picture, view } = this, { info, ready } = picture;
    if (ready >= 0 && !view.look) {
      if (picture.isCube) this.#stretch();
      else picture.look().then((look) => (view.look = look));
    }
    this.stage.setAttribute("aria-busy", String(ready < info.k));
    this.controls.style.setProperty("--ready", String(Math.max(ready, 0) / Math.max(info.k, 1)));
    this.save.disabled = ready < info.k;
    this.#describe();
    view.update();
  }

  /** Draws the spectrum of a pixel. */
  async #clicked(pixel) {
    const { picture, view } = this, { info } = picture;
    if (!pixel || !picture.isCube || info.channels < 2) return;
    const { hand } = picture.pieces(view.image, 1).find(({ top, start, stop }) => pixel.line >= top && pixel.line < top + stop - start);
    const line = view.image * info.height + pixel.line, k = Math.min(view.k, picture.ready);
    const values = await picture.ask(hand, "numbers", { k, start: line, stop: line + 1 });
    const own = Array.from(values.subarray(pixel.column * info.channels, (pixel.column + 1) * info.channels));
    this.#draw(own, tr("Line {line}, column {column}, from {k} components", { line: pixel.line + 1, column: pixel.column + 1, k }));
  }

  #draw(values, caption) {
    const [width, height, edge] = [600, 160, 44], known = values.filter(Number.isFinite);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const across = (place) => edge + ((width - edge - 8) * place) / Math.max(values.length - 1, 1);
    const down = (value) => 8 + ((height - 30) * (high - value)) / (high - low || 1);
    const make = (name, attributes, text = "") => {
      const made = document.createElementNS(SVG, name);
      Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
      made.textContent = text;
      return made;
    };
    const path = values.map((value, place) => (Number.isFinite(value) ? `${across(place)},${down(value)}` : "")).join(" ");
    const waves = this.bands.wavelengths;
    const first = waves?.[0] ?? 1, last = waves?.[values.length - 1] ?? values.length;
    const drawing = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": tr("{caption}: from {low} to {high}", { caption, low: number(low), high: number(high) }) });
    drawing.append(
      make("polyline", { class: "axes", points: `${edge},8 ${edge},${height - 22} ${width - 8},${height - 22}` }),
      make("polyline", { class: "curve", points: path.trim() }),
      make("text", { x: edge - 4, y: 16, class: "end" }, number(high)),
      make("text", { x: edge - 4, y: height - 22, class: "end" }, number(low)),
      make("text", { x: edge, y: height - 6 }, waves ? number(first) : tr("band {number}", { number: first })),
      make("text", { x: width - 8, y: height - 6, class: "end" }, waves ? number(last) : String(last)),
    );
    this.spectrum.replaceChildren(drawing, element("figcaption", { textContent: caption }));
    this.spectrum.hidden = false;
    this.say("");
  }

  /** The picture's own numbers if PNG has them, else what is shown. */
  async #save() {
    const { picture, view } = this, { info } = picture, { width, height } = info;
    const { k, image, look } = view, alpha = info.alpha ? 1 : 0, wide = info.type === 2 && !picture.isCube;
    const samples = look.channels.length + alpha, size = wide ? 2 : 1, white = wide ? 65535 : 255;
    const order = [...new Set(look.channels)].sort((a, b) => a - b), places = look.channels.map((channel) => order.indexOf(channel));
    async function* lines() {
      for (const { hand, start, stop, part } of picture.pieces(image, 1, k === info.k)) {
        const wanted = { k, start, stop, reduction: 1, part }, channels = order.length < info.channels ? order : undefined;
        const numbers = await picture.ask(hand, "numbers", { ...wanted, channels });
        const shares = alpha ? await picture.ask(hand, "opacities", wanted) : null;
        const bytes = new Uint8Array((stop - start) * width * samples * size);
        let to = 0;
        const put = (share) => {
          const value = Math.max(0, Math.min(white, Math.round(share * white))) || 0;
          if (wide) bytes[to++] = value >> 8;
          bytes[to++] = value;
        };
        for (let pixel = 0; pixel < (stop - start) * width; pixel++) {
          for (const place of places) put((numbers[pixel * order.length + place] - look.low) / (look.high - look.low || 1));
          if (alpha) put(shares[pixel]);
        }
        yield bytes;
      }
    }
    this.save.disabled = true;
    try {
      const blob = await png({ width, height, samples, bits: 8 * size }, lines());
      const link = element("a", { href: URL.createObjectURL(blob), download: `${this.name.replace(/\.[^.]*$/, "")}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) {
      this.say(tr(error.message));
    }
    this.save.disabled = false;
  }

  close() {
    this.view.close();
    this.picture.close();
  }
}
