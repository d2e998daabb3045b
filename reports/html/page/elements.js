'use strict';
// Building the page. Text from records enters only as text nodes and attributes, never as markup.

/// element('p', {class: 'x', onclick: f}, 'text', child): null children are skipped.
function element(tag, attributes = {}, ...children) {
  const result = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') result.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) result.setAttribute(key, value === true ? '' : value);
  }
  result.append(...children.flat().filter(child => child !== null && child !== undefined));
  return result;
}

const grouped = number => number === null || number === undefined ? '' : Number(number).toLocaleString('en-US');

function bytesText(bytes) {
  if (bytes === null || bytes === undefined) return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.length; ++unit) bytes /= 1000;
  return (unit === 0 ? String(Math.round(bytes)) : bytes.toPrecision(3)) + ' ' + units[unit];
}

/// 100, 10 k, 1 M, 0.05.
function shortNumber(value) {
  const units = ['', ' k', ' M', ' G', ' T', ' P'];
  let unit = 0, rest = value;
  for (; Math.abs(rest) >= 999.5 && unit + 1 < units.length; ++unit) rest /= 1000;
  return (Math.abs(rest) < 1 ? rest.toFixed(6).replace(/0+$/, '').replace(/\.$/, '') : String(Number(rest.toPrecision(3)))) + units[unit];
}

/// "1 matrix", "1,234 matrices".
const plurals = {matrix: 'matrices', entry: 'entries'};
const countText = (count, noun) => `${grouped(count)} ${count === 1 ? noun : plurals[noun] || noun + 's'}`;
const geometricMean = values => { const v = finite(values); return v.length ? Math.exp(v.reduce((sum, x) => sum + Math.log(x), 0) / v.length) : null; };
const medianOf = values => { const v = finite(values).sort((a, b) => a - b); return v.length ? (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2 : null; };
const finite = values => values.filter(v => typeof v === 'number' && Number.isFinite(v) && v > 0);
const sumOf = (items, get) => items.reduce((sum, item) => sum + get(item), 0);

/// Items by what `key` makes of them, in order of first appearance.
function groupsOf(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

const percentText = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + '%' : '–';
const factorText = factor => factor > 0 ? factor.toFixed(2) + '×' : '–';

const tile = (number, label) => element('div', {class: 'tile'}, element('b', {}, number), element('span', {}, label));
const remark = (...texts) => element('p', {class: 'remark'}, ...texts);

/// A table in a box of its own that scrolls; its first column stays in view. A column: {title, text: row => ..., left}.
function simpleTable(columns, rows, caption) {
  const head = element('tr', {}, columns.map(c => element('th', {scope: 'col', class: c.left ? 'left' : null}, c.title)));
  const body = rows.map(row => element('tr', {class: row.class || null}, columns.map((c, i) =>
    element(i || !c.left ? 'td' : 'th', {class: c.left ? 'left' : null, scope: i || !c.left ? null : 'row'}, String(c.text(row))))));
  return element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    element('table', {}, element('caption', {class: 'hidden'}, caption), element('thead', {}, head), element('tbody', {}, body)));
}

/// A table that shows some rows at a time, with buttons to turn its pages where it has more.
function pagedTable(columns, rows, caption, size = 25) {
  if (rows.length <= size) return simpleTable(columns, rows, caption);
  const place = element('div', {}), status = element('span', {class: 'status', role: 'status'});
  let from = 0;
  const show = by => {
    from = Math.max(0, Math.min(from + by * size, size * Math.floor((rows.length - 1) / size)));
    const shown = rows.slice(from, from + size);
    place.replaceChildren(simpleTable(columns, shown, caption));
    status.textContent = `${grouped(from + 1)} to ${grouped(from + shown.length)} of ${grouped(rows.length)}`;
  };
  show(0);
  return element('div', {}, element('div', {class: 'tools'}, element('button', {type: 'button', onclick: () => show(-1)}, 'Previous'),
    element('button', {type: 'button', onclick: () => show(1)}, 'Next'), status), place);
}

function selectBox(label, options, value, onchange) {
  const select = element('select', {onchange: event => onchange(event.target.value)},
    options.map(([key, text]) => element('option', {value: key, selected: key === value}, text)));
  return element('label', {class: 'field'}, element('span', {}, label), select);
}
