// A file that several workers decode side by side, each the lines that are its own.

import { Refused } from "./library.js";

const MOST_HANDS = 8;
const PIXELS_OF_A_HAND = 200_000;

let asked = 0;

/** A worker, which is asked for one thing after the other. */
class Hand {
  #waiting = new Map();

  constructor(worker) {
    this.worker = worker;
    this.errands = [];
    worker.onmessage = ({ data: { id, result, fault } }) => {
      const { resolve, reject } = this.#waiting.get(id) ?? {};
      if (!this.#waiting.delete(id)) return; // of a picture that had the worker before
      if (fault) reject(new Refused(fault.sentence, fault.fault, fault.grade));
      else resolve(result);
    };
    worker.onerror = () => this.#waiting.forEach(({ reject }) => reject(new Refused("The decoder could not be started.")));
  }

  ask(task, given = {}, moved = []) {
    return new Promise((resolve, reject) => {
      const id = ++asked;
      this.#waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, task, ...given }, moved);
    });
  }
}

/** An opened file.
 *
 * `kit` has `compiled`, the decoder; `worker()`, which starts a worker; and `tables(grade)`, which returns the
 * shared tables and those of grades; and perhaps `release(worker)`, which takes one back. `needed(info)` says how
 * many components are to be decoded, all if there is none. `ready` is how many are decoded everywhere. While workers
 * have nothing else to do, `wanted(hand)` may return a function that does something with one of them.
 */
export class Picture {
  static async open(kit, content, { models = [], bounds = {}, hands, needed } = {}) {
    const first = new Hand(kit.worker());
    let tables = await kit.tables();
    const start = () => ({ compiled: kit.compiled, tables, content, models, bounds });
    try {
      const opened = await first.ask("start", start()).catch(async (refused) => {
        if (refused.grade === undefined) throw refused;
        tables = await kit.tables(refused.grade);
        return first.ask("start", start());
      });
      const picture = new Picture(opened, first, needed);
      picture.release = kit.release ?? ((worker) => worker.terminate());
      const count = picture.#fitting(hands ?? navigator.hardwareConcurrency ?? 2);
      picture.hands.push(...Array.from({ length: count - 1 }, () => new Hand(kit.worker())));
      picture.#share();
      for (const hand of picture.hands) {
        (hand === first ? Promise.resolve() : hand.ask("start", start())).then(
          () => picture.#serve(hand),
          (refused) => picture.#fail(refused),
        );
      }
      return picture;
    } catch (refused) {
      first.worker.terminate();
      throw refused;
    }
  }

  constructor({ info, parts, corrections }, first, needed) {
    const k = Math.min(info.k, needed?.(info) ?? info.k), { channels, method } = info;
    Object.assign(this, { info, k, parts, corrections, hands: [first], ready: -1, closed: false });
    const few = method === "photo" ? channels : 1;
    const large = info.lines * info.width > 500_000;
    const stages = large ? [few, Math.ceil(k / 6), Math.ceil(k / 2), k] : [few, k];
    this.stages = stages.filter((stage, place) => stage <= k && stage > (stages[place - 1] ?? -1));
    if (k < few) this.stages = [k];
    this.wanted = () => null;
    this.onready = this.onfault = () => {};
  }

  /** Parts of corrections, and images of a stack, take all lines. */
  #fitting(cores) {
    const { info, parts } = this;
    if (info.corrections || info.images > 1) return 1;
    const own = parts.filter(([start, stop]) => stop - start < info.lines).length;
    return Math.max(1, Math.min(cores, MOST_HANDS, own, Math.floor((info.lines * info.width) / PIXELS_OF_A_HAND)));
  }

  /** Divides lines among the workers, where parts begin. */
  #share() {
    const { hands, info } = this;
    const spans = this.parts.filter(([start, stop]) => stop - start < info.lines).sort(([a], [b]) => a - b);
    const borders = spans.slice(1).map(([start], place) => 8 * Math.round((start + spans[place][1]) / 16));
    const cuts = hands.map((_, number) => {
      const even = (info.height * number) / hands.length;
      const near = borders.reduce((best, each) => (Math.abs(each - even) < Math.abs(best - even) ? each : best), 8 * Math.round(even / 8));
      return number ? near : 0;
    });
    hands.forEach((hand, number) => {
      hand.rows = [cuts[number], Math.max(cuts[number + 1] ?? info.height, cuts[number])];
      hand.known = new Map();
      hand.own = new Set();
      if (hand.rows[0] === hand.rows[1]) return;
      this.parts.forEach(([start, stop], part) => {
        const middle = (start + stop) / 2;
        const reached = hands.length === 1 || (start < hand.rows[1] + 8 && stop > hand.rows[0] - 8);
        if (!reached) return;
        hand.known.set(part, -1);
        if (hands.length === 1 || stop - start === info.lines || (middle >= hand.rows[0] && middle < hand.rows[1])) hand.own.add(part);
      });
    });
    if (this.parts.length === 0) this.ready = this.k;
  }

  /** Gives a worker what is to be done next, for ever. */
  async #serve(hand) {
    while (!this.closed) {
      const job = hand.errands.shift() ?? this.wanted(hand) ?? this.#decoding(hand);
      if (job) await job();
      else await new Promise((resolve) => (hand.wake = resolve));
    }
  }

  /** Lets workers look for something to do. */
  wake() {
    this.hands.forEach((hand) => hand.wake?.());
  }

  #decoding(hand) {
    const behind = [...hand.own].filter((part) => hand.known.get(part) < this.k);
    if (!behind.length) return null;
    const part = behind.reduce((least, each) => (hand.known.get(each) < hand.known.get(least) ? each : least));
    const k = this.stages.find((stage) => stage > hand.known.get(part));
    return async () => {
      try {
        await hand.ask("decode", { part, k });
        hand.known.set(part, k);
        await this.#handOver(hand, part, k);
      } catch (refused) {
        hand.own.delete(part);
        this.hands.forEach((each) => each.known.delete(part));
        this.#fail(refused);
      }
      this.#measure();
    };
  }

  /** Tells other workers what a part at the border of their lines is decoded to. */
  async #handOver(hand, part, k) {
    const others = this.hands.filter((each) => each !== hand && each.known.has(part) && !each.own.has(part));
    if (!others.length) return;
    const content = await hand.ask("handOver", { part });
    for (const other of others) {
      if (!content) other.own.add(part);
      else {
        other.errands.push(async () => {
          await other.ask("adopt", { part, k, content }).then(() => other.known.set(part, k), (refused) => this.#fail(refused));
          this.#measure();
        });
      }
      other.wake?.();
    }
  }

  #measure() {
    const ready = Math.min(this.k, ...this.hands.flatMap((hand) => [...hand.known.values()]));
    if (ready <= this.ready) return;
    this.ready = ready;
    this.wake();
    this.onready(ready);
  }

  #fail(refused) {
    this.onfault(refused);
  }

  /** Asks for something the worker that has a line of an image. */
  ask(hand, task, given) {
    return new Promise((resolve, reject) => {
      hand.errands.push(() => hand.ask(task, given).then(resolve, reject));
      hand.wake?.();
    });
  }

  /** Pieces of an image's lines, each with the worker that makes it. Exact pieces are those of the corrections. */
  pieces(image, reduction, exact = false) {
    const { info, hands, corrections } = this, rows = Math.ceil(info.height / reduction);
    if (exact && corrections.length) {
      return corrections
        .map(([start, stop], part) => ({ hand: hands[0], start, stop, reduction, part, top: start - image * rows }))
        .filter(({ start, stop }) => start < (image + 1) * rows && stop > image * rows);
    }
    const lines = Math.max(Math.ceil(256 / reduction), 128), first = image * rows;
    return hands.flatMap((hand) => {
      const [from, to] = hand.rows.map((row) => Math.ceil(row / reduction));
      const count = Math.max(Math.ceil((to - from) / lines), 0);
      return Array.from({ length: count }, (_, place) => {
        const top = from + place * lines;
        return { hand, start: first + top, stop: first + Math.min(top + lines, to), reduction, part: -1, top };
      });
    });
  }

  /** How many bytes of the file its first k components take. */
  bytes(k) {
    if (k === this.info.k) return this.info.chunks.at(-1).stop;
    const chunks = this.info.chunks.filter(({ count }) => count > 0);
    let before = 0, end = this.info.chunks[0]?.stop ?? 0;
    for (const { first, count, stop } of chunks) {
      if (k < first) break;
      const share = Math.min(1, (k - first + 1) / count);
      before = end + share * (stop - end);
      end = stop;
    }
    return Math.round(before || end);
  }

  /** The channels that are shown: of many three bands. */
  get colours() {
    const { channels } = this.info, high = channels - 1;
    if (!this.isCube) return [0, 1, 2].slice(0, channels);
    return channels < 3 ? [0] : [5, 3, 1].map((sixth) => Math.min(high, Math.floor((sixth * channels) / 6)));
  }

  get isCube() {
    const { channels, type } = this.info;
    return (channels !== 1 && channels !== 3) || type > 2;
  }

  /** How numbers become colours: as they are, or those of bands from the second to the ninety-eighth percentile. */
  async look(image, k, channels = this.colours) {
    const { width, height, peak } = this.info;
    if (!this.isCube) return { channels, low: 0, high: peak };
    const pieces = this.pieces(image, [8, 4, 2, 1].find((each) => each === 1 || width * height > 1e5 * each * each));
    const found = await Promise.all(
      pieces.map(({ hand, start, stop, reduction }) => this.ask(hand, "numbers", { k, start, stop, reduction, channels }).catch(() => [])),
    );
    const values = found.flatMap((numbers) => Array.from(numbers)).filter(Number.isFinite).sort((a, b) => a - b);
    const at = (share) => values[Math.round(share * (values.length - 1))] ?? 0;
    return { channels, low: at(0.02), high: at(0.98) };
  }

  close() {
    if (!this.closed) this.hands.forEach((hand) => this.release(hand.worker));
    this.closed = true;
  }
}
