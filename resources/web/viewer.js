// The viewer: files that are dropped, chosen, pasted or named in the address, beside each other in tabs.

import { kitOfPage } from "./kit.js";
import { element, Panel } from "./panel.js";
import { Picture } from "./picture.js";
import { tr } from "./speech.js";
import { serve } from "./worker.js";

const MOST_BYTES = 2 ** 30;

class Viewer {
  constructor(kit) {
    Object.assign(this, { kit, tabs: [], models: [], shown: null });
    this.list = element("nav", { "aria-label": tr("Open files") });
    this.place = element("section", { className: "place" });
    this.said = element("p", { className: "said", role: "status" });
    const input = element("input", { type: "file", multiple: true, accept: ".pcai", hidden: true });
    input.onchange = () => this.take(input.files).then(() => (input.value = ""));
    const open = element("button", { type: "button", textContent: tr("Open…"), onclick: () => input.click() });
    document.querySelector("main").replaceChildren(element("div", { className: "bar" }, open, input, this.list), this.said, this.place);
    this.say(tr("Drop .pcai files here, paste them, or open them. They stay on this machine."));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.take(event.dataTransfer.files);
    });
    addEventListener("paste", (event) => this.take(event.clipboardData.files));
  }

  say(sentence) {
    this.said.textContent = sentence;
  }

  async take(files) {
    for (const file of [...files]) {
      if (file.size > MOST_BYTES) this.say(tr("{name} is too large to be opened in a browser.", file));
      else await this.open(file.name, new Uint8Array(await file.arrayBuffer()));
    }
  }

  /** Opens a file whose basis may be in one that was opened before. Returns its panel, or null if it is refused. */
  async open(name, content) {
    try {
      const picture = await Picture.open(this.kit, content, { models: this.models });
      if (picture.info.method !== "photo" && !picture.info.lent && content.length < 2 ** 24) this.models.push(content);
      this.say("");
      return this.add(name, content, picture);
    } catch (refused) {
      this.say(tr("{name} cannot be shown: {reason}", { name, reason: tr(refused.message) }));
      return null;
    }
  }

  add(name, content, picture) {
    const root = element("article", { className: "picture" });
    const tab = { root, name, button: element("button", { type: "button", textContent: name }) };
    const close = element("button", { type: "button", textContent: "×", className: "close", "aria-label": tr("Close {name}", { name }) });
    tab.entry = element("span", { className: "tab" }, tab.button, close);
    tab.button.onclick = () => this.show(tab);
    close.onclick = () => this.close(tab);
    this.list.append(tab.entry);
    this.tabs.push(tab);
    this.show(tab);
    tab.panel = new Panel(root, picture, { name, size: content.length });
    return tab.panel;
  }

  show(tab) {
    this.shown = tab;
    for (const each of this.tabs) each.button.setAttribute("aria-pressed", String(each === tab));
    this.place.replaceChildren(...(tab ? [tab.root] : []));
  }

  close(tab) {
    tab.panel.close();
    tab.entry.remove();
    this.tabs = this.tabs.filter((each) => each !== tab);
    if (this.shown === tab) this.show(this.tabs.at(-1) ?? null);
  }

  /** Opens the file that the address names, from the same server. */
  async fetch(address) {
    const url = new URL(address, location.href);
    const name = decodeURIComponent(url.pathname.split("/").at(-1));
    try {
      if (url.origin !== location.origin) throw new Error(tr("It is on another server."));
      const response = await fetch(url);
      if (!response.ok) throw new Error(tr("The server answers {status}.", response));
      await this.open(name, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      this.say(tr("{name} cannot be opened: {reason}", { name, reason: tr(error.message) }));
    }
  }
}

async function begin() {
  const viewer = new Viewer(await kitOfPage());
  window.pcai = { viewer, Picture };
  document.documentElement.classList.add("live");
  const address = new URLSearchParams(location.search).getAll("file");
  for (const each of address) await viewer.fetch(each);
}

if (!globalThis.document) serve();
else {
  begin().catch((error) => {
    document.querySelector(".fault").textContent = tr("The viewer does not work in this browser: {reason}", { reason: error.message });
  });
}
