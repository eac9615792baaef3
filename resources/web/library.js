// The decoder (pcai.h) as a page sees it: an instance of its WebAssembly, whose faults are exceptions.

const METHODS = ["blocks", "bands", "stack", "photo"];
const TYPES = [null, Uint8Array, Uint16Array, Int16Array, Float32Array];
const INFO = [
  "method", "type", "images", "height", "width", "channels", "hasChannels", "block", "k", "lines", "parts",
  "corrections", "alpha", "lent", "mantissa", "exponent",
];
const [PEAK, MEMORY] = [INFO.length, INFO.length + 1];
const CHUNK = 6;
const NO_TABLES = 7;

/** What the decoder says of a file that it does not decode; of missing tables, the grade that it asked for. */
export class Refused extends Error {
  constructor(sentence, fault = 0, grade = undefined) {
    super(sentence);
    this.fault = fault;
    this.grade = grade;
  }
}

/** An instance of the decoder, with the tables of photos that it has: shared ones, then those of grades 0 to 2. */
export class Library {
  constructor(compiled, tables = []) {
    this.own = new WebAssembly.Instance(compiled, {}).exports;
    this.room = this.take(16);
    this.given = [];
    this.give(tables);
  }

  /** Takes tables that are not there yet. */
  give(tables) {
    tables.forEach((content, place) => {
      if (!content || this.given[place]) return;
      this.given[place] = true;
      this.own.web_tables(place - 1, this.put(content), content.length);
    });
  }

  take(size) {
    const place = this.own.web_take(size);
    if (!place) throw new Refused("There is not enough memory.");
    return place;
  }

  put(content) {
    const place = this.take(content.length);
    new Uint8Array(this.own.memory.buffer).set(content, place);
    return place;
  }

  numbers(place, count) {
    return Array.from(new BigInt64Array(this.own.memory.buffer, place, count), Number);
  }

  /** Opens a file; of one that is cut short, with `salvage`, the components before the end. */
  open(content, { most = 2 ** 31, unbacked = 2 ** 27, salvage = false } = {}) {
    return new Opened(this, content, most, unbacked, salvage);
  }
}

/** An open file. `info` is pcai_info. */
class Opened {
  constructor(library, content, most, unbacked, salvage) {
    this.library = library;
    this.own = library.own;
    this.data = library.put(content);
    this.file = this.own.web_open(this.data, content.length, most, unbacked, salvage ? 1 : 0, library.room);
    try {
      this.check(new DataView(this.own.memory.buffer).getInt32(library.room, true));
    } catch (refused) {
      this.close();
      throw refused;
    }
    const place = this.own.pcai_about(this.file);
    const numbers = library.numbers(place, INFO.length);
    this.info = Object.fromEntries(INFO.map((name, index) => [name, numbers[index]]));
    this.info.method = METHODS[this.info.method];
    this.info.peak = new Float64Array(this.own.memory.buffer, place + 8 * PEAK, 1)[0];
    this.info.memory = library.numbers(place + 8 * MEMORY, 1)[0];
    this.info.chunks = this.chunks();
  }

  check(fault) {
    if (!fault) return;
    const place = this.own.pcai_reason(this.file, 0);
    const memory = new Uint8Array(this.own.memory.buffer);
    const sentence = new TextDecoder().decode(memory.subarray(place, memory.indexOf(0, place)));
    throw new Refused(sentence, fault, fault === NO_TABLES ? this.own.web_asked() : undefined);
  }

  /** The chunks: their letters, where each ends, and the payloads of small ones. */
  chunks() {
    const { own, library } = this;
    const count = Number(own.pcai_chunks(this.file, library.room));
    const start = new DataView(own.memory.buffer).getUint32(library.room, true);
    return Array.from({ length: count }, (_, index) => {
      const [kind, , stop, payload, first, many] = library.numbers(start + 8 * CHUNK * index, CHUNK);
      const letter = String.fromCharCode(kind), small = "ntb".includes(letter);
      const bytes = small ? new Uint8Array(own.memory.buffer).slice(this.data + payload, this.data + stop - 4) : null;
      return { letter, stop, first, count: many, bytes };
    });
  }

  /** The lines that a part takes part in, or that a part of the corrections is about: the first, and the end. */
  span(name, part) {
    this.check(this.own[name](this.file, BigInt(part), this.library.room, this.library.room + 8));
    return this.library.numbers(this.library.room, 2);
  }

  /** Whether this is the model that has the file's basis, which it lends if so. */
  takes(model) {
    return this.own.pcai_lend(this.file, model.file) === 0;
  }

  decode(part, k) {
    this.check(this.own.pcai_decode(this.file, BigInt(part), BigInt(k)));
  }

  /** What a part is decoded to, for another worker that has the same file open; null if it must decode it itself. */
  handOver(part) {
    const size = this.own.pcai_hand_over(this.file, BigInt(part), 0);
    if (!size) return null;
    const place = this.library.take(size);
    this.own.pcai_hand_over(this.file, BigInt(part), place);
    const copy = new Uint8Array(this.own.memory.buffer).slice(place, place + size);
    this.own.web_give_back(place);
    return copy;
  }

  adopt(part, k, content) {
    const place = this.library.put(content);
    const fault = this.own.pcai_adopt(this.file, BigInt(part), BigInt(k), place, content.length);
    this.own.web_give_back(place);
    this.check(fault);
  }

  /** Calls `use` with lines as an array of the file's type, in memory that is valid until it returns; with
   * `part`, those of a part of the corrections, corrected. */
  withLines({ k, start, stop, reduction = 1, part = -1 }, use) {
    const { info, own } = this, Type = TYPES[info.type];
    const columns = Math.ceil(info.width / reduction), numbers = columns * info.channels;
    const apart = numbers * Type.BYTES_PER_ELEMENT, place = this.library.take(Math.max(apart * (stop - start), 1));
    try {
      const lines = [start, stop, reduction].map(BigInt);
      this.check(own.pcai_lines(this.file, BigInt(k), ...lines, place, apart));
      if (part >= 0) this.check(own.pcai_correct(this.file, BigInt(part), place, apart));
      return use(new Type(own.memory.buffer, place, numbers * (stop - start)), columns);
    } finally {
      own.web_give_back(place);
    }
  }

  /** The opacity of all pixels, of the file's type. */
  opacity() {
    const count = this.info.lines * this.info.width, Type = TYPES[this.info.type];
    const place = this.library.take(count * Type.BYTES_PER_ELEMENT);
    try {
      this.check(this.own.pcai_alpha(this.file, place));
      return new Type(this.own.memory.buffer, place, count).slice();
    } finally {
      this.own.web_give_back(place);
    }
  }

  close() {
    if (this.file) this.own.pcai_close(this.file);
    this.own.web_give_back(this.data);
    this.file = this.data = 0;
  }
}
