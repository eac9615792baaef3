"""Style sheet of a report, for light and dark screens and for paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --soft: #f4f5f6; --text: #1c1f23; --muted: #5a6169; --line: #c9cdd2;
  --accent: #0b6bb8; --bar: #b3bac2; --a: #b3261e; --b: #1f7a4d; --c: #7b4bb3; --d: #8a6100;
  --e: #b02a8f; --curve: #a8480a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #1a1c1e; --soft: #2e3135; --text: #e9ebed; --muted: #a7aeb6; --line: #4a4f55;
    --accent: #57aef2; --bar: #5d656e; --a: #ff9a94; --b: #5fc98f; --c: #c39bf0; --d: #f3c969;
    --e: #f58ad8; --curve: #f2a65a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px; max-width: 1040px; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 28px 0 8px; }
p { margin: 4px 0; }
.muted, figcaption, caption { color: var(--muted); }
.row { display: grid; gap: 12px; grid-template-columns: repeat(3, minmax(0, 1fr)); }
.halves { display: grid; gap: 24px; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); }
figure { margin: 0; break-inside: avoid; }
figure img { display: block; max-width: 100%; height: auto; }
.exact { image-rendering: pixelated; }
.row .whole { width: 100%; }
figcaption { font-size: 12px; margin-top: 4px; }
dl {
  display: grid; gap: 8px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); margin: 16px 0 0;
}
dl div { background: var(--soft); border-radius: 4px; padding: 8px 12px; }
dt { color: var(--muted); font-size: 12px; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
caption { text-align: left; padding-bottom: 4px; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid var(--line); }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
pre {
  background: var(--soft); border-radius: 4px; padding: 8px 12px; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.plot { width: 100%; height: auto; display: block; }
.plot text { fill: var(--muted); font-size: 11px; }
.axis { fill: none; stroke: var(--muted); }
.grid { fill: none; stroke: var(--line); stroke-width: 0.5; }
.kept { fill: var(--accent); }
.left-out { fill: var(--bar); }
.line { fill: none; stroke-width: 1.75; stroke-linejoin: round; }
.own { stroke: var(--accent); stroke-width: 2.5; }
.reference-0 { stroke: var(--a); }
.reference-1 { stroke: var(--b); }
.reference-2 { stroke: var(--c); }
.reference-3 { stroke: var(--d); }
.reference-4 { stroke: var(--e); }
.here { fill: var(--accent); stroke: var(--ground); stroke-width: 2; }
.bar { width: 100%; height: 20px; display: block; margin-bottom: 8px; }
.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 8px; }
.part-mean { fill: var(--b); background: var(--b); }
.part-basis { fill: var(--curve); background: var(--curve); }
.part-scores-0 { fill: var(--accent); background: var(--accent); }
.part-scores-1 { fill: var(--accent); background: var(--accent); opacity: 0.75; }
.part-scores-2 { fill: var(--accent); background: var(--accent); opacity: 0.5; }
.part-scores-3 { fill: var(--accent); background: var(--accent); opacity: 0.3; }
.part-residual { fill: var(--a); background: var(--a); }
.part-opacity { fill: var(--c); background: var(--c); }
.part-metadata { fill: var(--d); background: var(--d); }
.part-rest { fill: var(--bar); background: var(--bar); }
@media print {
  @page { size: A4; margin: 12mm; }
  :root {
    color-scheme: light;
    --ground: #ffffff; --soft: #f4f5f6; --text: #000000; --muted: #444a50; --line: #c9cdd2;
    --accent: #0b6bb8; --bar: #b3bac2; --a: #b3261e; --b: #1f7a4d; --c: #7b4bb3; --d: #8a6100;
    --e: #b02a8f; --curve: #a8480a;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { padding: 0; max-width: none; font-size: 9pt; }
  h1 { font-size: 15pt; }
  h2 { font-size: 10pt; margin: 10pt 0 4pt; break-after: avoid; }
  table { font-size: 8pt; }
  th, td { padding: 1px 4px; }
  .halves { gap: 12px; grid-template-columns: 1fr 1fr; }
  section { break-inside: avoid; }
}
"""
