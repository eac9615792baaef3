// A picture on a canvas: zoom and pan, and of what is shown only the lines that are seen, at the size that they have.

const ROOM = 128 << 20;
const MOST_SCALE = 32;
const [SMALL, SMALL_SCALE] = [128, 8];

/** A picture as it is painted from so many components: what is being made, and what was made whole before. */
class Layer {
  constructor(view) {
    this.view = view;
    this.target = this.shown = null;
  }

  /** Takes up what is wanted; moves of k wait until what is being made is whole, so that the eye sees each. */
  want(wanted) {
    const { target } = this;
    if (!target || target.key === wanted.key || this.isWhole() || target.place !== wanted.place) this.target = wanted;
    this.settle(wanted);
  }

  settle(wanted) {
    if (!this.isWhole()) return;
    this.shown = this.target;
    if (wanted && wanted.key !== this.target.key) this.target = wanted;
  }

  isWhole() {
    return this.view.seen(this.target).every((piece) => this.view.made.has(this.target.key + piece.start));
  }

  /** A piece that a worker has to make. */
  missing(hand) {
    if (!this.target) return undefined;
    return this.view
      .seen(this.target)
      .find((piece) => piece.hand === hand && !this.view.made.has(this.target.key + piece.start) && !this.view.pending.has(this.target.key + piece.start));
  }
}

/** Shows a picture (picture.js) on a canvas, and until there is a part of it `preview`, if that was given. `changed` is
 * called when place or scale change. */
export class View {
  constructor(canvas, picture) {
    Object.assign(this, { canvas, picture, made: new Map(), pending: new Set(), bytes: 0, image: 0, k: picture.info.k, fewer: null, split: 0.5 });
    this.layers = { main: new Layer(this), less: new Layer(this) };
    this.context = canvas.getContext("2d");
    this.changed = this.painted = () => {};
    this.scale = 0;
    this.fits = true;
    picture.wanted = (hand) => this.#job(hand);
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(canvas);
    this.#listen();
  }

  /** How numbers become colours: see worker.js. */
  set look(look) {
    this.ownLook = look;
    this.update();
  }

  get look() {
    return this.ownLook;
  }

  show(values) {
    Object.assign(this, values);
    this.update();
  }

  /** Tells the layers what is wanted, and paints what there is. */
  update() {
    if (!this.scale || this.closed) return;
    const { picture } = this, { ready } = picture;
    if (ready >= 0 && this.ownLook) {
      this.layers.main.want(this.#wanted(Math.min(this.k, ready)));
      if (this.fewer !== null) this.layers.less.want(this.#wanted(Math.min(this.fewer, ready)));
    }
    picture.wake();
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#paint();
    });
  }

  #wanted(k) {
    const { picture, image } = this;
    const fine = this.scale * devicePixelRatio;
    const reduction = [8, 4, 2, 1].find((each) => each === 1 || fine * each <= 1);
    const exact = k === picture.info.k && reduction === 1;
    const place = `${image}/${reduction}/${this.look.channels}/${this.look.low}/${this.look.high}/`;
    return { k, image, reduction, exact, place, look: this.look, key: `${place}${k}/`, pieces: picture.pieces(image, reduction, exact) };
  }

  /** The pieces of a target that are seen. */
  seen(target) {
    if (!target) return [];
    const half = this.canvas.height / 2 / devicePixelRatio / this.scale;
    const [top, bottom] = [(this.y - half) / target.reduction, (this.y + half) / target.reduction];
    return target.pieces.filter((piece) => piece.top < bottom && piece.top + piece.stop - piece.start > top);
  }

  #job(hand) {
    for (const layer of [this.layers.main, this.fewer === null ? null : this.layers.less]) {
      const piece = layer?.missing(hand);
      if (piece) return () => this.#make(layer, layer.target, piece);
    }
    return null;
  }

  async #make(layer, { key, k, look }, piece) {
    const name = key + piece.start, { hand, start, stop, reduction, part } = piece;
    this.pending.add(name);
    try {
      const bitmap = await hand.ask("picture", { k, start, stop, reduction, part, look });
      this.#keep(name, bitmap);
    } catch {
      this.#keep(name, null); // of a part that is damaged
    }
    this.pending.delete(name);
    this.update();
  }

  /** Keeps a piece, and drops the oldest that are not on the screen. */
  #keep(name, bitmap) {
    const size = (each) => (each ? 4 * each.width * each.height : 0);
    this.made.set(name, bitmap);
    this.bytes += size(bitmap);
    const needed = Object.values(this.layers).flatMap(({ target, shown }) => [target?.key, shown?.key]);
    for (const [old, each] of this.made) {
      if (this.bytes <= ROOM) break;
      if (needed.some((key) => key && old.startsWith(key))) continue;
      this.bytes -= size(each);
      each?.close();
      this.made.delete(old);
    }
  }

  // ---- painting ----

  #paint() {
    const { context, canvas, layers } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    const line = Math.round(canvas.width * this.split);
    if (this.preview && !layers.main.shown) {
      const { fine, left, right, lineAt } = this.#edges(), { height } = this.picture.info;
      if (fine < 2) context.drawImage(this.preview, left, lineAt(0), right - left, lineAt(height) - lineAt(0));
    }
    if (this.fewer === null) this.#paintLayer(layers.main, 0, canvas.width);
    else {
      this.#paintLayer(layers.less, 0, line);
      this.#paintLayer(layers.main, line, canvas.width);
    }
    this.painted(this);
  }

  #paintLayer(layer, from, to) {
    const { context, canvas } = this;
    context.save();
    context.beginPath();
    context.rect(from, 0, to - from, canvas.height);
    context.clip();
    // What was whole before stays until the next is.
    const targets = layer.shown && layer.shown.place === layer.target?.place && !layer.isWhole() ? [layer.shown] : [layer.shown, layer.target];
    for (const target of targets) if (target) this.#paintTarget(target);
    context.restore();
  }

  /** Where the picture is on the canvas, in its pixels. */
  #edges() {
    const { canvas } = this, { width, height } = this.picture.info, fine = this.scale * devicePixelRatio;
    const at = (place) => Math.round(canvas.width / 2 + (place - this.x) * fine);
    const lineAt = (line) => Math.round(canvas.height / 2 + (Math.min(line, height) - this.y) * fine);
    return { fine, left: at(0), right: at(width), lineAt };
  }

  #paintTarget(target) {
    const { context } = this, { fine, left, right, lineAt } = this.#edges(), { reduction } = target;
    context.imageSmoothingEnabled = fine < 2;
    context.imageSmoothingQuality = "high";
    for (const piece of this.seen(target)) {
      const bitmap = this.made.get(target.key + piece.start);
      if (!bitmap) continue;
      const top = lineAt(piece.top * reduction), bottom = lineAt((piece.top + piece.stop - piece.start) * reduction);
      context.clearRect(left, top, right - left, bottom - top);
      context.drawImage(bitmap, left, top, right - left, bottom - top);
    }
  }

  // ---- place and scale ----

  #resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    if (this.fits) this.fit();
    else this.#move();
  }

  /** The scale at which all is seen; very small pictures are enlarged. */
  get fitting() {
    const { width, height } = this.picture.info;
    const room = Math.min(this.canvas.clientWidth / width, this.canvas.clientHeight / height);
    return Math.min(room, Math.max(width, height) > SMALL ? 1 : Math.max(1, Math.min(Math.floor(room), SMALL_SCALE)));
  }

  fit() {
    const { width, height } = this.picture.info;
    Object.assign(this, { fits: true, x: width / 2, y: height / 2, scale: this.fitting });
    this.#move();
  }

  /** Zooms around a point of the canvas. */
  zoom(scale, [across, down] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2]) {
    const bounded = Math.max(this.fitting / 2, Math.min(scale, MOST_SCALE));
    const [dx, dy] = [across - this.canvas.clientWidth / 2, down - this.canvas.clientHeight / 2];
    this.x += dx / this.scale - dx / bounded;
    this.y += dy / this.scale - dy / bounded;
    this.scale = bounded;
    this.fits = false;
    this.#move();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.fits = false;
    this.#move();
  }

  #move() {
    const { width, height } = this.picture.info;
    const within = (value, side, room) => (room >= side * this.scale ? side / 2 : Math.max(room / 2 / this.scale, Math.min(side - room / 2 / this.scale, value)));
    this.x = within(this.x, width, this.canvas.clientWidth);
    this.y = within(this.y, height, this.canvas.clientHeight);
    this.update();
    this.changed(this);
  }

  /** The pixel at a point of the canvas: its line and column; null beside the picture. */
  pixel(across, down) {
    const { width, height } = this.picture.info;
    const column = Math.floor(this.x + (across - this.canvas.clientWidth / 2) / this.scale);
    const line = Math.floor(this.y + (down - this.canvas.clientHeight / 2) / this.scale);
    return column >= 0 && line >= 0 && column < width && line < height ? { line, column } : null;
  }

  /** Mouse, touch and keys. */
  #listen() {
    const { canvas } = this, held = new Map();
    const at = ({ clientX, clientY }) => {
      const { left, top } = canvas.getBoundingClientRect();
      return [clientX - left, clientY - top];
    };
    const middle = (points) => [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
    const apart = ([first, second]) => Math.hypot(second[0] - first[0], second[1] - first[1]);
    let moved = 0;
    canvas.onpointerdown = (event) => {
      if (!held.size) moved = 0;
      held.set(event.pointerId, at(event));
      canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointermove = (event) => {
      if (!held.has(event.pointerId)) return;
      const before = [...held.values()];
      held.set(event.pointerId, at(event));
      const after = [...held.values()], [from, to] = [middle(before), middle(after)];
      moved += Math.hypot(to[0] - from[0], to[1] - from[1]);
      if (after.length > 1) this.zoom((this.scale * apart(after)) / (apart(before) || 1), to);
      this.pan(to[0] - from[0], to[1] - from[1]);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
      if (held.delete(event.pointerId) && event.type === "pointerup" && moved < 4 && !held.size) this.clicked?.(this.pixel(...at(event)));
    };
    canvas.ondblclick = (event) => (this.fits ? this.zoom(Math.max(1, 2 * this.scale), at(event)) : this.fit());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const notches = event.deltaY / (event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1);
        this.zoom(this.scale * 1.25 ** -notches, at(event));
      },
      { passive: false },
    );
    const keys = {
      ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0), ArrowUp: () => this.pan(0, 60), ArrowDown: () => this.pan(0, -60),
      "+": () => this.zoom(1.25 * this.scale), "=": () => this.zoom(1.25 * this.scale), "-": () => this.zoom(this.scale / 1.25),
      0: () => this.fit(), 1: () => this.zoom(1),
    };
    canvas.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    };
  }

  close() {
    this.closed = true;
    this.observer.disconnect();
    this.made.forEach((bitmap) => bitmap?.close());
    this.made.clear();
  }
}
