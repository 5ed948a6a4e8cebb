"use strict";
// Everything that came from the data is put in as text or as an attribute, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const PAGE = 50;
const KEYS_OF_TEXT = new Set(["id", "given", "suggested"]);
const state = { key: "rank", up: true, text: "", show: data.flagged ? "flagged" : "all", shown: PAGE, open: new Set() };
const decisions = new Map(Object.entries(data.decisions || {}).map(([row, word]) => [Number(row), word]));
let unsaved = false;
let sending = Promise.resolve();

// -- small tools

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const label = (k) => data.classes[k];
const quoted = (text) => `“${text}”`;
const brief = (text) => ([...text].length > 16 ? [...text].slice(0, 15).join("") + "…" : text);
const count = (n) => n.toLocaleString("en");
const number = (x, digits = 3) => (x === null || x === undefined ? "–" : Number(x.toPrecision(digits)).toString());
const signed = (x) => (x > 0 ? "+" : "") + x.toFixed(Math.abs(x) < 0.1 ? 3 : 2);
const percent = (x) => {
  if (x === null) return "–";
  if (x > 0 && x < 0.001) return "< 0.1%";
  return (100 * x).toFixed(x < 0.1 ? 1 : 0) + "%";
};
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const value = (x) => (x === null ? "missing" : typeof x === "number" ? number(x, 5) : x);

function grid(headers, rows, attributes = {}) {
  const cell = (content, k, tag = "td") => make(tag, { class: headers[k][1], ...(tag === "th" ? { scope: "row" } : {}) }, content);
  return make("table", attributes,
    make("thead", {}, make("tr", {}, ...headers.map(([name, kind]) => make("th", { scope: "col", class: kind }, name)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((content, k) => cell(content, k, k ? "td" : "th"))))));
}

// -- head

function head() {
  byId("title").textContent = data.title;
  byId("verdict").textContent = data.verdict;
  if (data.leaking.length) {
    const names = data.leaking.map(quoted).join(", ");
    byId("leaking").textContent = `Careful: ${names} alone tells nearly every label. Is it the name of the row, or the answer ` +
      "itself? Wrong labels cannot be found with such a column; leave it out and audit again.";
    byId("leaking").hidden = false;
  }
  const facts = [["Rows", count(data.rows)], ["Features", count(data.columns)], ["Labels", count(data.classes.length)],
    ["Flagged", count(data.flagged)], ["Estimated wrong", percent(data.noise_rate)]];
  byId("facts").append(...facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  const listed = data.suspects.filter((row) => row.flagged).length;
  if (listed < data.flagged) byId("left-out").textContent =
    `Listed are the ${count(listed)} most suspect of ${count(data.flagged)} flagged rows; the table of scores (--scores) has all.`;
  if (data.kept_in) byId("kept").textContent = `, and keeps decisions in ${data.kept_in}`;
}

// -- table of suspects

function matches(row) {
  if (state.show === "flagged" && !row.flagged) return false;
  if (state.show === "open" && decisions.has(row.row)) return false;
  if ((state.show === "wrong" || state.show === "right") && decisions.get(row.row) !== state.show) return false;
  if (!state.text) return true;
  const words = [row.id, label(row.given), label(row.suggested), ...row.contributions.map((entry) => value(entry[1]))];
  return words.some((word) => word.toLowerCase().includes(state.text));
}
const names = new Intl.Collator("en", { numeric: true });
function sortValue(row) {
  if (state.key === "id") return row.id;
  if (KEYS_OF_TEXT.has(state.key)) return label(row[state.key]);
  return state.key in row ? row[state.key] : row.evidence[state.key];
}
function compare(a, b) {
  const x = sortValue(a), y = sortValue(b);
  if (x === null || y === null) return (x === null) - (y === null) || a.rank - b.rank;
  const order = KEYS_OF_TEXT.has(state.key) ? names.compare(x, y) : x - y;
  return (state.up ? order : -order) || a.rank - b.rank;
}

function toggle(row, button) {
  const line = button.closest("tr");
  if (state.open.delete(row.row)) line.nextElementSibling.remove();
  else {
    state.open.add(row.row);
    line.after(detail(row));
  }
  const open = state.open.has(row.row);
  button.setAttribute("aria-expanded", String(open));
  button.textContent = open ? "−" : "+";
}

function line(row) {
  const open = state.open.has(row.row), doubted = row.suggested !== row.given;
  const reasons = make("button", { type: "button", class: "toggle", "aria-expanded": String(open), "aria-label": `Reasons, row ${row.id}` }, open ? "−" : "+");
  reasons.addEventListener("click", () => toggle(row, reasons));
  const choices = ["wrong", "right"].map((word) => {
    const button = make("button", { type: "button", class: "choice", "data-word": word, "aria-label": `${word}: label of row ${row.id}` }, word);
    button.addEventListener("click", () => decide(row, word));
    return button;
  });
  const meter = make("span", { class: "meter", "aria-hidden": "true" }, make("i"));
  meter.firstChild.style.width = `${100 * (1 - row.score)}%`;
  const node = make("tr", { "data-row": row.row, class: row.flagged ? "" : "unflagged" },
    make("td", { class: "open" }, reasons),
    make("td", { class: "number wide" }, count(row.rank)),
    make("th", { class: "name", scope: "row" }, row.id),
    make("td", { class: "name given" }, label(row.given)),
    make("td", { class: "name suggested" }, doubted ? label(row.suggested) : "–"),
    make("td", { class: "number" }, row.score < 0.001 ? "< 0.001" : row.score.toFixed(3), meter),
    make("td", { class: "number wide" }, row.evidence.margin.toFixed(2)),
    make("td", { class: "number wide" }, number(row.evidence.influence)),
    make("td", { class: "decision" }, ...choices));
  press(node, row);
  return node;
}
function press(node, row) {
  for (const button of node.querySelectorAll(".choice")) button.setAttribute("aria-pressed", String(decisions.get(row.row) === button.dataset.word));
}

function detail(row) {
  const given = label(row.given), other = label(row.other), facts = row.evidence;
  const neighbour = (near) => (near ? `${near[0]}, at ${number(near[1])}` : "none");
  const reasons = [
    ...(row.id === String(row.row) ? [] : [["Row number", count(row.row)]]),
    ...data.voters.map(([name], k) => [`P(given), ${name}`, percent(row.votes[k])]),
    ["Models against the label", percent(facts.against)],
    ["Vote of the stumps for it", signed(row.stumps)],
    ["Weight, share of its cap", percent(facts.at_cap)],
    ["Slack: misses the margin by", number(facts.slack)],
    ["Influence, 1 is typical", number(facts.influence)],
    ...(facts.cell !== null ? [["Decision volume (log)", facts.volume === null ? "none" : number(facts.volume)],
      ["Cell volume (log)", number(facts.cell)]] : []),
    ["Nearest row with this label", neighbour(row.same)],
    [row.differ ? `Nearest with ${quoted(label(row.differ[2]))}` : "Nearest with another", neighbour(row.differ)],
  ];
  const evidence = make("table", { class: "facts-of-row" }, make("tbody", {}, ...reasons.map(([name, text]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "number" }, text)))));
  const most = Math.max(...row.contributions.map((entry) => Math.abs(entry[2])), 1e-9);
  const features = row.contributions.map(([j, x, share]) => {
    const { typical } = data.features[j];
    return [data.features[j].name, value(x), middle(typical[row.given]), middle(typical[row.other]),
      strip(data.features[j], x, row), contributionBar(share, most)];
  });
  const heads = [["Feature", "name"], ["This row", "number value"], [`Typical ${quoted(brief(given))}`, "number value given"],
    [`Typical ${quoted(brief(other))}`, "number value suggested"], ["Row and middle halves", "strip"], ["Contribution", "number"]];
  const contributions = features.length
    ? make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": `Features of row ${row.id}` }, grid(heads, features))
    : make("p", { class: "note" }, "The boosted stumps use no feature here.");
  const doubt = row.flagged && row.stumps > 0 ? [make("p", { class: "note" },
    "Feature by feature the values speak for the label; the models that see features together doubt it.")] : [];
  return make("tr", { class: "detail" }, make("td", { colspan: "9" }, make("div", { class: "reasons" },
    make("div", {}, make("h3", {}, "Evidence"), evidence),
    make("div", {}, make("h3", {}, `Values that speak most for or against ${quoted(given)}`), ...doubt, contributions))));
}
function middle(typical) {
  if (!typical) return "–";
  return typical.length === 2 ? `${typical[0]} (${percent(typical[1])})` : number(typical[1], 4);
}
function strip(feature, x, row) {
  const given = feature.typical[row.given], other = feature.typical[row.other];
  if (feature.low === undefined || feature.low === null || !given || !other) return "";
  const width = 160, low = feature.low, span = feature.high - feature.low || 1;
  const at = (v) => 6 + Math.min(1, Math.max(0, (v - low) / span)) * (width - 12);
  const half = (quartiles, y, kind) => [
    draw("rect", { class: kind, x: at(quartiles[0]), y, height: 6, width: Math.max(2, at(quartiles[2]) - at(quartiles[0])), rx: 1 }),
    draw("rect", { class: "neutral", x: at(quartiles[1]) - 0.75, y: y - 1, height: 8, width: 1.5 })];
  const svg = draw("svg", { viewBox: `0 0 ${width} 26`, width, height: 26, "aria-hidden": "true" },
    draw("path", { class: "axis", d: `M6,13H${width - 6}` }), ...half(given, 4, "flagged"), ...half(other, 16, "others"));
  if (typeof x === "number") svg.append(draw("circle", { class: "neutral", cx: at(x), cy: 13, r: 4.5 }));
  return svg;
}
function contributionBar(share, most) {
  const length = (Math.abs(share) / most) * 23;
  return make("span", { class: "contribution" },
    draw("svg", { viewBox: "0 0 50 16", "aria-hidden": "true" },
      draw("rect", { class: share < 0 ? "others" : "flagged", x: share < 0 ? 25 - length : 25, y: 3, width: length, height: 10 }),
      draw("path", { class: "axis", d: "M25,0V16" })),
    make("span", {}, signed(share)));
}

function table() {
  const rows = data.suspects.filter(matches).sort(compare);
  byId("suspects").tBodies[0].replaceChildren(...rows.slice(0, state.shown).flatMap((row) => (state.open.has(row.row) ? [line(row), detail(row)] : [line(row)])));
  byId("more").hidden = rows.length <= state.shown;
  byId("count").textContent = `${count(Math.min(rows.length, state.shown))} of ${plural(rows.length, "row")} shown`;
  for (const cell of byId("suspects").tHead.querySelectorAll("th")) {
    const button = cell.querySelector("button");
    if (button && button.dataset.key === state.key) cell.setAttribute("aria-sort", state.up ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  }
}
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], button = event.target.closest("button");
  if (!step || !button) return;
  const lines = [...byId("suspects").tBodies[0].querySelectorAll("tr[data-row]")];
  const next = lines[lines.indexOf(button.closest("tr")) + step];
  event.preventDefault();
  if (next) next.querySelector(button.dataset.word ? `.choice[data-word="${button.dataset.word}"]` : ".toggle").focus();
}

// -- decisions

function decide(row, word) {
  const before = decisions.get(row.row), after = before === word ? undefined : word;
  keep(row, after);
  if (!data.save) {
    unsaved = decisions.size > 0;
    return;
  }
  sending = sending.then(() => fetch(data.save, { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ row: row.row, decision: after || null }) }))
    .then(async (answer) => { if (!answer.ok) throw new Error(await answer.text()); })
    .catch((error) => {
      keep(row, before);
      const reason = error instanceof TypeError ? "is the command still running?" : error.message;
      say(`The decision on row ${row.id} could not be saved: ${reason}`, true);
    });
}
function keep(row, word) {
  if (word) decisions.set(row.row, word); else decisions.delete(row.row);
  const node = byId("suspects").querySelector(`tr[data-row="${row.row}"]`);
  if (node) press(node, row);
  tell();
}
function tell() {
  const wrong = [...decisions.values()].filter((word) => word === "wrong").length;
  byId("export").disabled = decisions.size === 0;
  if (!decisions.size) say("");
  else say(`${plural(decisions.size, "decision")}: ${count(wrong)} wrong, ${count(decisions.size - wrong)} right. ` +
    (data.save ? `Kept in ${data.kept_in}.` : "Export them before you close the page."));
}
function say(text, bad = false) {
  byId("message").textContent = text;
  byId("message").classList.toggle("bad", bad);
}

// As `guard` in cli/output.py: no spreadsheet may take a cell for a formula, or for two.
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const SKIPPED = /^[\s\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff,;|]+/;
function cell(text) {
  const start = text.replace(SKIPPED, "");
  const risky = /^[=+\-@＝＋－＠﹦﹢﹣﹫]/.test(start) && !NUMBER.test(start.trimEnd());
  const safe = [...text].length > 1 && (risky || /^[\t\r\n]/.test(text)) ? "'" + text : text;
  return /[,;|\t\r\n"]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
function csv() {
  const lines = data.suspects.filter((row) => decisions.has(row.row)).sort((a, b) => a.row - b.row).map((row) =>
    [row.row, row.id, label(row.given), label(row.suggested), row.score, decisions.get(row.row)]);
  return [["row", "id", "given", "suggested", "score", "decision"], ...lines].map((cells) => cells.map((x) => cell(String(x))).join(",") + "\n").join("");
}
function download() {
  const link = make("a", { download: "decisions.csv", href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  unsaved = false;
}

// -- pictures

function labels() {
  const order = data.classes.map((_, k) => k).sort((a, b) => data.labels.noise[b] - data.labels.noise[a]);
  const heads = [["Given label", "name"], ["Rows", "number"], ["Flagged", "number"], ["Estimated wrong", "number"]];
  const rows = order.slice(0, 30).map((k) => [label(k), count(data.labels.rows[k]), count(data.labels.flagged[k]), percent(data.labels.noise[k])]);
  byId("labels").append(grid(heads, rows));
  if (order.length > 30) byId("labels").append(make("p", { class: "note" }, `and ${plural(order.length - 30, "label")} with less noise`));
  if (data.classes.length > 2 && data.confusions.length) byId("confusions").append(grid(
    [["Flagged: given", "name given"], ["suggested", "name suggested"], ["rows", "number"]],
    data.confusions.map(([given, suggested, n]) => [label(given), label(suggested), count(n)])));
}

function frame(width, height, words) {
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
}
const words = (x, y, text, anchor = "middle") => draw("text", { x, y, "text-anchor": anchor }, text);
function space(id) {
  byId(id).replaceChildren();
  return Math.max(300, byId(id).clientWidth);
}
function trade() {
  const { rows, precision, recall } = data.trade;
  const width = space("trade"), height = 240, left = 56, base = 190, last = rows.at(-1);
  const x = (n) => left + (last > 1 ? (n - 1) / (last - 1) : 0) * (width - left - 12), y = (share) => base - share * (base - 14);
  const at = (n) => rows.findLastIndex((length) => length <= n);
  const svg = frame(width, height, `Expected precision and recall along the list: of the first ${plural(rows.at(-1), "row")} ` +
    `${percent(precision.at(-1))} are wrong, which is ${percent(recall.at(-1))} of all wrong labels.`);
  for (const [kind, values] of [["flagged", precision], ["others", recall]])
    svg.append(draw("polyline", { class: "curve " + kind, points: values.map((v, k) => `${x(rows[k])},${y(v)}`).join(" ") }));
  svg.append(draw("path", { class: "axis", d: `M${left},10V${base}H${width - 12}` }));
  if (data.flagged && data.flagged <= last) svg.append(draw("path", { class: "axis", "stroke-dasharray": "3 3", d: `M${x(data.flagged)},10V${base}` }),
    words(x(data.flagged) + 4, 20, "flagged", "start"));
  for (const n of new Set([1, Math.ceil(last / 2), last])) svg.append(words(x(n), base + 18, count(n)));
  for (const share of [0, 0.5, 1]) svg.append(words(left - 8, y(share) + 4, percent(share), "end"));
  svg.append(words((left + width) / 2, base + 38, "rows read"));
  byId("trade").append(svg);
  const lengths = [...new Set([data.flagged, ...[0.1, 0.25, 0.5, 1].map((share) => Math.ceil(share * last))])].filter((n) => n > 0 && n <= last).sort((a, b) => a - b);
  byId("trade-table").replaceChildren(grid([["Rows read", "name"], ["expected wrong", "number"], ["of all wrong labels", "number"]], lengths.map((n) => {
    const k = at(n);
    return [count(n) + (n === data.flagged ? " (flagged)" : ""), percent(precision[k]), percent(recall[k])];
  })));
}
function similar() {
  const { counts, groups, pairs, outliers } = data.similar;
  if (!counts.copies && !counts.near && !counts.outliers) return;
  byId("similar-card").hidden = false;
  byId("similar-note").textContent = `${plural(counts.copies, "row")} with exact copies, ${count(counts.conflicting)} of them with another label; ` +
    `${plural(counts.near, "near duplicate")}, ${count(counts.near_conflicting)} with another label; ${plural(counts.outliers, "outlier")}. ` +
    "Equal rows with different labels cannot all be right; equal rows in training and test data flatter a model.";
  const several = (codes) => codes.map(label).join(", ");
  const listed = (group) => group.rows.join(", ") + (group.size > group.rows.length ? ", …" : "");
  if (groups.length) byId("groups").append(grid([["Copies: rows", "name"], ["labels", "name"], ["size", "number"]],
    groups.map((group) => [listed(group), several(group.labels), count(group.size)])));
  if (pairs.length) byId("pairs").append(grid([["Nearly equal", "name"], ["labels", "name"]],
    pairs.map(([a, b, one, other]) => [`${a}, ${b}`, several(one === other ? [one] : [one, other])])));
  if (outliers.length) byId("outliers").append(grid([["Outlier", "name"], ["label", "name"], ["distance, 1 is typical", "number"]],
    outliers.map(([id, code, far]) => [id, label(code), number(far)])));
}
function margins() {
  const { cuts, others, flagged } = data.margins;
  const width = space("margins"), height = 240, left = 56, base = 190;
  const most = Math.max(1, ...others, ...flagged);
  const x = (v) => left + ((v + 1) / 2) * (width - left - 12), y = (n) => base - Math.sqrt(n / most) * (base - 14);
  const below = (counts) => counts.reduce((sum, n, k) => sum + (cuts[k + 1] <= 0 ? n : 0), 0);
  const svg = frame(width, height, `Histogram of margins. Below zero are ${plural(below(flagged), "flagged row")} and ${plural(below(others), "other row")}.`);
  const bars = (counts, kind, inset) => counts.forEach((n, k) => {
    if (n) svg.append(draw("rect", { class: kind, x: x(cuts[k]) + inset, width: Math.max(1, x(cuts[k + 1]) - x(cuts[k]) - 2 * inset), y: y(n), height: base - y(n) },
      draw("title", {}, `${plural(n, kind === "flagged" ? "flagged row" : "other row")} from ${cuts[k]} to ${cuts[k + 1]}`)));
  });
  bars(others, "others", 0.75);
  bars(flagged, "flagged", (x(0.05) - x(0)) / 5);
  svg.append(draw("path", { class: "axis", d: `M${left},${base}H${width - 12}M${x(0)},${base}V8` }));
  for (const tick of [-1, -0.5, 0, 0.5, 1]) svg.append(words(x(tick), base + 18, String(tick)));
  for (const n of new Set([most / 16, most / 4, most].map(Math.round))) if (n) svg.append(words(left - 8, y(n) + 4, count(n), "end"));
  svg.append(words(x(0), base + 38, "margin"), words(4, base + 18, "rows", "start"));
  byId("margins").append(svg);
}
function volumes() {
  if (!data.volumes) return;
  byId("volumes-card").hidden = false;
  const { flagged, others } = data.volumes;
  const width = space("volumes"), height = 240, left = 56, base = 190;
  const all = [...flagged, ...others].filter((v) => v !== null);
  const low = Math.min(...all), high = Math.max(...all), span = high - low || 1, last = others.length;
  const x = (k) => left + (k / Math.max(1, last - 1)) * (width - left - 20), y = (v) => base - ((v - low) / span) * (base - 16);
  const svg = frame(width, height, `Mean log decision volume over ${plural(last, "round")}: flagged rows from ${number(flagged[0])} to ` +
    `${number(flagged[last - 1])}, other rows from ${number(others[0])} to ${number(others[last - 1])}.`);
  for (const [kind, values] of [["others", others], ["flagged", flagged]])
    svg.append(draw("polyline", { class: "curve " + kind, points: values.map((v, k) => (v === null ? "" : `${x(k)},${y(v)}`)).join(" ") }));
  svg.append(draw("path", { class: "axis", d: `M${left},10V${base}H${width - 12}` }));
  for (const t of new Set([1, Math.ceil(last / 2), last])) svg.append(words(x(t - 1), base + 18, String(t)));
  for (const v of [low, (low + high) / 2, high]) svg.append(words(left - 8, y(v) + 4, number(v), "end"));
  svg.append(words(x((last - 1) / 2), base + 38, "round"), words(4, base + 18, "log", "start"));
  byId("volumes").append(svg);
}

function shapes() {
  const problems = data.shapes.filter((problem) => problem.steps.length);
  if (!problems.length) return;
  byId("shapes-card").hidden = false;
  byId("problems").hidden = data.classes.length === 2;
  byId("problem").append(...problems.map((problem, k) => make("option", { value: k }, label(problem.positive))));
  const several = data.classes.length > 2;
  const show = () => {
    const problem = problems[Number(byId("problem").value)];
    const down = several ? "for the other labels" : `for ${quoted(label(0))}`;
    byId("shapes-note").textContent = "How far each feature moves the vote of a row from that of an average one. The strip below stands out where many rows lie. " +
      `Up (right, for categories) speaks for ${quoted(label(problem.positive))}, down ${down}.`;
    const most = Math.max(1e-9, ...problem.steps.flatMap((step) => (step.levels || step.bars.map((bar) => bar[1])).map(Math.abs)));
    byId("shapes").replaceChildren(...problem.steps.map((step) => make("figure", {}, make("figcaption", {}, step.name), step.bars ? bars(step, most) : steps(step, most))));
  };
  byId("problem").addEventListener("change", show);
  show();
}
function steps(step, most) {
  const width = 260, height = 130, y = (v) => 56 - (v / most) * 48;
  const svg = frame(width, height, `Shape function of ${step.name}: ${number(step.levels[0], 2)} at the low end, ${number(step.levels.at(-1), 2)} at the high end`);
  const span = step.high - step.low || 1;
  const x = (v) => 4 + Math.min(1, Math.max(0, (v - step.low) / span)) * (width - 8);
  let path = `M${x(step.low)},${y(step.levels[0])}`;
  step.cuts.forEach((cut, k) => { path += `H${x(cut)}V${y(step.levels[k + 1])}`; });
  svg.append(draw("path", { class: "axis", d: `M4,${y(0)}H${width - 4}` }), draw("path", { class: "shape", d: path + `H${x(step.high)}` }),
    words(4, 124, number(step.low), "start"), words(width - 4, 124, number(step.high), "end"));
  step.strip.forEach((share, k) => svg.append(draw("rect", { class: "neutral", "fill-opacity": Math.sqrt(share).toFixed(2),
    x: 4 + (k / step.strip.length) * (width - 8), y: 106, height: 5, width: (width - 8) / step.strip.length })));
  if (step.missing !== undefined) svg.append(words(width / 2, 124, `missing ${signed(step.missing)}`));
  return svg;
}
function bars(step, most) {
  const width = 260, row = 19, all = step.missing === undefined ? step.bars : [...step.bars, ["(missing)", step.missing]];
  const height = row * all.length + (step.left_out ? row : 4), x = (v) => 185 + (v / most) * 70;
  const svg = frame(width, height, `Share of ${step.name}: ` + all.map(([name, level]) => `${name} ${signed(level)}`).join(", "));
  all.forEach(([name, level], k) => svg.append(
    words(108, row * k + 14, brief(name), "end"),
    draw("rect", { class: "others", x: Math.min(x(0), x(level)), y: row * k + 4, width: Math.max(1, Math.abs(x(level) - x(0))), height: row - 6 })));
  svg.append(draw("path", { class: "axis", d: `M${x(0)},0V${row * all.length}` }));
  if (step.left_out) svg.append(words(108, height - 5, `${count(step.left_out)} more`, "end"));
  return svg;
}

function certificate() {
  const first = data.certificates[0];
  const bounds = (c) => `${number(c.lower, 4)} to ${number(c.upper, 4)}`;
  const proven = (c) => (c.certified ? "proven" : "not proven");
  if (data.certificates.length === 1) byId("certificate").append(make("p", {},
    `The largest soft margin (ν = ${number(first.nu)}) lies between ${number(first.lower, 4)} and ${number(first.upper, 4)}; ${proven(first)}: ${first.reason}.`));
  else byId("certificate").append(
    grid([["Label against the rest", "name"], ["largest soft margin", "number"], ["", ""]], data.certificates.slice(0, 30).map((c, k) => [label(k), bounds(c), proven(c)])),
    make("p", {}, `ν = ${number(first.nu)}; ${first.reason}.`));
  const voters = data.voters.map(([name, weight]) => `${name} ${number(weight, 2)}`).join(", ");
  byId("certificate").append(make("p", { class: "note" }, `Weight of each model in P(right): ${voters}.`));
}

// -- start

byId("search").addEventListener("input", (event) => { state.text = event.target.value.trim().toLowerCase(); state.shown = PAGE; table(); });
byId("show").value = state.show;
byId("show").addEventListener("change", (event) => { state.show = event.target.value; state.shown = PAGE; table(); });
byId("more").addEventListener("click", () => {
  const lines = () => byId("suspects").tBodies[0].querySelectorAll("tr[data-row]"), before = lines().length;
  state.shown += PAGE;
  table();
  lines()[before].querySelector(".toggle").focus();
});
byId("export").addEventListener("click", download);
byId("suspects").tBodies[0].addEventListener("keydown", walk);
for (const button of document.querySelectorAll("#suspects th button")) button.addEventListener("click", () => {
  state.up = state.key === button.dataset.key ? !state.up : true;
  state.key = button.dataset.key;
  table();
});
window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
head(); table(); tell(); trade(); labels(); similar(); margins(); volumes(); shapes(); certificate();
let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  trade();
  margins();
  volumes();
});
