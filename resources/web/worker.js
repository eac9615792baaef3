// What a worker does: it has a file open, decodes its share of the parts, and makes pictures of lines.

import { Library, Refused } from "./library.js";

let library = null;
let opened = null;
let opacity = null;

/** A colour of 8 bits for each value from `low` to `high`. */
function scale(value, { low, high }) {
  return Math.max(0, Math.min(255, Math.round(((value - low) * 255) / (high - low || 1)))) || 0;
}

/** Paints lines as pixels: `look` says which channels are red, green and blue, or grey if there is one, and which
 * values are black and white. */
function painted(lines, columns, look) {
  const { channels } = opened.info, count = lines.length / channels;
  const pixels = new Uint8ClampedArray(4 * count), words = new Uint32Array(pixels.buffer);
  const [red, green = red, blue = red] = look.channels;
  const plain = lines instanceof Uint8Array && look.low === 0 && look.high === 255;
  for (let i = 0, from = 0; i < count; i++, from += channels) {
    const [r, g, b] = [lines[from + red], lines[from + green], lines[from + blue]];
    words[i] = plain
      ? 0xff000000 | (b << 16) | (g << 8) | r
      : 0xff000000 | (scale(b, look) << 16) | (scale(g, look) << 8) | scale(r, look);
  }
  return new ImageData(pixels, columns, count / columns || 1);
}

/** Means of opacity over squares, as the program rounds them. */
function opacities({ start, stop, reduction }) {
  const { width, height, peak } = opened.info, columns = Math.ceil(width / reduction), rows = Math.ceil(height / reduction);
  opacity ??= opened.opacity();
  const found = new Float64Array(columns * (stop - start));
  for (let place = 0; place < found.length; place++) {
    const line = start + Math.floor(place / columns), image = Math.floor(line / rows);
    const top = (line % rows) * reduction, left = (place % columns) * reduction;
    let total = 0, number = 0;
    for (let y = top; y < Math.min(top + reduction, height); y++) {
      for (let x = left; x < Math.min(left + reduction, width); x++, number++) total += opacity[(image * height + y) * width + x];
    }
    found[place] = Math.floor((2 * total + number) / (2 * number)) / peak;
  }
  return found;
}

function pictured({ look, ...wanted }) {
  const image = opened.withLines(wanted, (lines, columns) => painted(lines, columns, look));
  if (opened.info.alpha) opacities(wanted).forEach((share, place) => (image.data[4 * place + 3] = Math.round(255 * share)));
  return image;
}

const tasks = {
  /** Opens a file; one that was open before is closed. */
  start({ compiled, tables, content, models, bounds }) {
    opened?.close();
    opened = opacity = null;
    library ??= new Library(compiled);
    library.give(tables);
    const file = library.open(content, bounds);
    if (file.info.lent && !models.some((model) => file.takes(library.open(model, bounds)))) throw new Refused("The basis of the image is in a model file, which must be opened with it.", 8);
    opened = file;
    const spans = (name, count) => Array.from({ length: count }, (_, part) => file.span(name, part));
    const { parts, corrections } = file.info;
    return [{ info: file.info, parts: spans("pcai_lines_of", parts), corrections: spans("pcai_corrected", corrections) }];
  },

  decode({ part, k }) {
    opened.decode(part, k);
    return [null];
  },

  handOver({ part }) {
    const content = opened.handOver(part);
    return [content, content ? [content.buffer] : []];
  },

  adopt({ part, k, content }) {
    opened.adopt(part, k, content);
    return [null];
  },

  /** Red, green, blue and opacity, 8 bits each. */
  colours(wanted) {
    const { data } = pictured(wanted);
    return [data, [data.buffer]];
  },

  async picture(wanted) {
    const bitmap = await createImageBitmap(pictured(wanted));
    return [bitmap, [bitmap]];
  },

  /** Numbers of some channels, or of all. */
  numbers({ channels, ...wanted }) {
    const every = opened.info.channels;
    const found = opened.withLines(wanted, (lines) =>
      channels ? lines.filter((_, place) => channels.includes(place % every)) : lines.slice(),
    );
    return [found, [found.buffer]];
  },

  /** Opacity from 0 to 1. */
  opacities(wanted) {
    const found = opacities(wanted);
    return [found, [found.buffer]];
  },
};

/** Does what a page asks for, in a worker that has the script of the page. */
export function serve() {
  self.onmessage = async ({ data: { id, task, ...given } }) => {
    try {
      const [result, moved = []] = await tasks[task](given);
      self.postMessage({ id, result }, moved);
    } catch (error) {
      const sentence = error instanceof WebAssembly.RuntimeError ? "The decoder failed." : error.message;
      self.postMessage({ id, fault: { sentence, fault: error.fault, grade: error.grade } });
    }
  };
}
