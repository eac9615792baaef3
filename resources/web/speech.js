// What pages say, in the language that they were made in, or of those that a page has in the reader's.

const ENGLISH = "en";

/** Translations by the names of languages, each by the English of them. */
const { languages = {} } = JSON.parse(globalThis.document?.getElementById("about")?.textContent ?? "{}");

function chosen() {
  const own = document.documentElement.lang;
  if (own in languages) return own;
  const known = [ENGLISH, ...Object.keys(languages)];
  const fits = (asked, each) => asked.split("-")[0] === each.split("-")[0] && (each !== "zh-TW" || /TW|HK|MO|Hant/.test(asked));
  const found = (navigator.languages ?? []).map((asked) => known.find((each) => fits(asked, each))).find(Boolean);
  return found in languages ? found : own || ENGLISH;
}

const language = globalThis.document ? chosen() : ENGLISH;

if (globalThis.document) document.documentElement.lang = language;

/** Returns a text in the language; what stands for the names in its braces are texts or numbers. */
export function tr(text, places = {}) {
  const said = languages[language]?.[text] ?? text;
  return said.replace(/\{(\w+)\}/g, (_, name) => places[name] ?? `{${name}}`);
}

/** Returns a number as the language writes it. */
export function number(value, options = { maximumSignificantDigits: 4 }) {
  return value.toLocaleString(language, options);
}
