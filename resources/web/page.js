// A page that holds one picture.

import { kitOfPage } from "./kit.js";
import { bytesOf } from "./packed.js";
import { Panel } from "./panel.js";
import { Picture } from "./picture.js";
import { tr } from "./speech.js";
import { serve } from "./worker.js";

async function begin() {
  const root = document.querySelector("main"), about = JSON.parse(document.getElementById("about").textContent);
  const [kit, content] = [await kitOfPage(), bytesOf(document.getElementById("picture"))];
  const model = document.getElementById("model");
  // Whoever made the page has opened the file: what it claims is what it is.
  const bounds = { unbacked: 2 ** 40 };
  const picture = await Picture.open(kit, content, { models: model ? [bytesOf(model)] : [], bounds });
  document.documentElement.classList.add("live");
  window.pcai = new Panel(root, picture, { name: about.name, size: content.length });
  window.pcai.view.show({ preview: document.querySelector(".preview img") });
}

if (!globalThis.document) serve();
else {
  begin().catch((error) => {
    document.querySelector(".fault").textContent = tr("The picture cannot be shown here: {reason}", { reason: tr(error.message) });
  });
}
