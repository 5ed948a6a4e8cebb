"use strict";
// Everything that came from the data is put in as text or as an attribute, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const PAGE = 50;
const state = { text: "", show: data.flagged ? "flagged" : "all", shown: PAGE, open: new Set() };

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const count = (n) => n.toLocaleString("en");
const number = (x, digits = 4) => (x === null ? "–" : Number(x.toPrecision(digits)).toString());
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const value = (x) => (x === null ? "missing" : typeof x === "number" ? number(x, 5) : x);
const words = (x, y, text, anchor = "middle") => draw("text", { x, y, "text-anchor": anchor }, text);

function head() {
  byId("title").textContent = data.title;
  byId("verdict").textContent = data.verdict;
  const percent = data.noise_rate > 0 && data.noise_rate < 0.001 ? "< 0.1%" : (100 * data.noise_rate).toFixed(1) + "%";
  const facts = [["Rows", count(data.rows)], ["Features", count(data.columns)], ["Flagged", count(data.flagged)], ["Estimated wrong", percent]];
  byId("facts").append(...facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  const listed = data.suspects.filter((row) => row.flagged).length;
  if (listed < data.flagged) byId("left-out").textContent =
    `Listed are the ${count(listed)} most suspect of ${count(data.flagged)} flagged rows; the table of scores (--scores) has all.`;
  byId("predictors").textContent = "Weight of each model in the prediction: " +
    data.predictors.map(([name, weight]) => `${name} ${number(weight, 2)}`).join(", ") + ".";
}

function matches(row) {
  if (state.show === "flagged" && !row.flagged) return false;
  return !state.text || [row.id, ...row.values.map(value)].some((word) => word.toLowerCase().includes(state.text));
}
function line(row) {
  const open = state.open.has(row.row);
  const button = make("button", { type: "button", class: "toggle", "aria-expanded": String(open), "aria-label": `Values, row ${row.id}` }, open ? "−" : "+");
  button.addEventListener("click", () => {
    if (!state.open.delete(row.row)) state.open.add(row.row);
    table();
    byId("suspects").querySelector(`tr[data-row="${row.row}"] .toggle`).focus();
  });
  return make("tr", { "data-row": row.row, class: row.flagged ? "" : "unflagged" },
    make("td", { class: "open" }, button),
    make("td", { class: "number wide" }, count(row.rank)),
    make("th", { class: "name", scope: "row" }, row.id),
    make("td", { class: "number given" }, number(row.given, 5)),
    make("td", { class: "number suggested" }, number(row.suggested, 5)),
    make("td", { class: "number wide" }, number(row.spread, 3)),
    make("td", { class: "number" }, (row.z > 0 ? "+" : "") + number(row.z, 3)),
    make("td", { class: "number" }, row.score < 0.001 ? "< 0.001" : row.score.toFixed(3)));
}
function detail(row) {
  const cells = row.values.map((x, j) => make("tr", {}, make("th", { scope: "row" }, data.features[j]), make("td", { class: "number" }, value(x))));
  return make("tr", { class: "detail" }, make("td", { colspan: "8" }, make("table", { class: "facts-of-row" }, make("tbody", {}, ...cells))));
}
function table() {
  const rows = data.suspects.filter(matches);
  byId("suspects").tBodies[0].replaceChildren(...rows.slice(0, state.shown).flatMap((row) => (state.open.has(row.row) ? [line(row), detail(row)] : [line(row)])));
  byId("more").hidden = rows.length <= state.shown;
  byId("count").textContent = `${count(Math.min(rows.length, state.shown))} of ${plural(rows.length, "row")} shown`;
}

function grid(columns, rows) {
  const cell = ([, kind], text, k) => (k ? make("td", { class: kind }, text) : make("th", { class: kind, scope: "row" }, text));
  return make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(([name, kind]) => make("th", { class: kind, scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((texts) => make("tr", {}, ...texts.map((text, k) => cell(columns[k], text, k))))));
}
function similar() {
  const { counts, groups, pairs, outliers } = data.similar;
  if (!counts.copies && !counts.near && !counts.outliers) return;
  byId("similar-card").hidden = false;
  byId("similar-note").textContent = `${plural(counts.copies, "row")} with exact copies, ${count(counts.conflicting)} of them with a target far off; ` +
    `${plural(counts.near, "near duplicate")}, ${count(counts.near_conflicting)} with a target far off; ${plural(counts.outliers, "outlier")}. ` +
    "Equal rows with targets far apart cannot all be right; equal rows in training and test data flatter a model.";
  const several = (targets) => targets.map((x) => number(x, 5)).join(", ");
  const listed = (group) => group.rows.join(", ") + (group.size > group.rows.length ? ", …" : "");
  if (groups.length) byId("groups").append(grid([["Copies: rows", "name"], ["targets", "name"], ["size", "number"]],
    groups.map((group) => [listed(group), several(group.labels), count(group.size)])));
  if (pairs.length) byId("pairs").append(grid([["Nearly equal", "name"], ["targets", "name"]],
    pairs.map(([a, b, one, other]) => [`${a}, ${b}`, several(one === other ? [one] : [one, other])])));
  if (outliers.length) byId("outliers").append(grid([["Outlier", "name"], ["target", "number"], ["distance, 1 is typical", "number"]],
    outliers.map(([id, target, far]) => [id, number(target, 5), number(far)])));
}

function canvas(id, height, text) {
  byId(id).replaceChildren();
  const width = Math.max(300, byId(id).clientWidth);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text });
  byId(id).append(svg);
  return [svg, width];
}
function points() {
  const height = 360, left = 64, base = 310;
  const [svg, width] = canvas("points", height, `Given against predicted targets of ${plural(data.points.length, "row")}, ${count(data.flagged)} of all are flagged`);
  const all = data.points.flatMap(([x, y]) => [x, y]).filter((v) => v !== null);
  const low = Math.min(...all), span = Math.max(...all) - low || 1;
  const x = (v) => left + 6 + ((v - low) / span) * (width - left - 24), y = (v) => base - 6 - ((v - low) / span) * (base - 20);
  svg.append(draw("path", { class: "axis", d: `M${left},8V${base}H${width - 12}M${x(low)},${y(low)}L${x(low + span)},${y(low + span)}` }));
  for (const kind of [0, 1]) for (const [a, b, flagged] of data.points) if (flagged === kind && a !== null && b !== null)
    svg.append(draw("circle", { class: flagged ? "flagged" : "others", cx: x(a), cy: y(b), r: flagged ? 4 : 2.5, opacity: flagged ? 0.95 : 0.55 }));
  for (const v of [low, low + span / 2, low + span]) svg.append(words(x(v), base + 18, number(v)), words(left - 8, y(v) + 4, number(v), "end"));
  svg.append(words((left + width) / 2, base + 40, "predicted"), words(4, base + 18, "given", "start"));
}
function residuals() {
  const { cuts, others, flagged } = data.residuals, height = 240, left = 56, base = 190;
  const [svg, width] = canvas("residuals", height, "Histogram of residuals in usual distances");
  const most = Math.max(1, ...others, ...flagged), wide = cuts.at(-1);
  const x = (v) => left + ((v + wide) / (2 * wide)) * (width - left - 12), y = (n) => base - Math.sqrt(n / most) * (base - 14);
  for (const [counts, kind] of [[others, "others"], [flagged, "flagged"]]) counts.forEach((n, k) => {
    if (n) svg.append(draw("rect", { class: kind, x: x(cuts[k]) + 0.75, width: Math.max(1, x(cuts[k + 1]) - x(cuts[k]) - 1.5), y: y(n), height: base - y(n) },
      draw("title", {}, `${plural(n, kind === "flagged" ? "flagged row" : "other row")} from ${cuts[k]} to ${cuts[k + 1]}`)));
  });
  svg.append(draw("path", { class: "axis", d: `M${left},${base}H${width - 12}M${x(0)},${base}V8` }));
  for (const tick of [-wide, -wide / 2, 0, wide / 2, wide]) svg.append(words(x(tick), base + 18, String(tick)));
  for (const n of new Set([most / 16, most / 4, most].map(Math.round))) if (n) svg.append(words(left - 8, y(n) + 4, count(n), "end"));
  svg.append(words(x(0), base + 38, "times the usual distance"), words(4, base + 18, "rows", "start"));
}

byId("search").addEventListener("input", (event) => { state.text = event.target.value.trim().toLowerCase(); state.shown = PAGE; table(); });
byId("show").value = state.show;
byId("show").addEventListener("change", (event) => { state.show = event.target.value; state.shown = PAGE; table(); });
byId("more").addEventListener("click", () => { state.shown += PAGE; table(); });
head(); table(); points(); residuals(); similar();
window.addEventListener("resize", () => { points(); residuals(); });
