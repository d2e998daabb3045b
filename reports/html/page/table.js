'use strict';
// Every matrix in a table: the answer beside the name, sorted by any column, with the columns that the reader chooses.
// It holds the matrices that pass the filters, one page of rows at a time; all of them can be saved as CSV.

const list = {column: 'Of CSR', descending: false, from: 0, size: 50, added: new Set(), removed: new Set(), body: null, head: null, status: null, save: null};

/// {title, get, number, show: value => text, more: whether it is hidden at first}.
function listColumns() {
  const number = (title, get, more) => ({title, number: true, get, more});
  const bytes = (title, get, more) => ({title, number: true, get, show: bytesText, more});
  const inOrder = (title, ordering, get) => number(`${title}, ${orderingLabel(ordering)}`, m => { const o = under(m, ordering); return o ? get(o) : null; }, true);
  const orders = shownOrderings();
  return [
    {title: 'Matrix', get: m => m.name, matrix: true},
    {title: 'Of CSR', number: true, get: m => m.share, show: v => (100 * v).toFixed(1) + '%'},
    bytes('Smallest', m => m.best.format ? m.best.bytes : null),
    {title: 'Format', get: m => m.best.format || ''}, {title: 'Order', get: m => m.best.format ? orderingLabel(m.best.ordering) : ''}, {title: 'Store', get: m => m.best.values || ''},
    bytes('CSR', m => { const csr = csrOf(m, 'none'); return csr ? csr.total : null; }),
    number('Entries', m => m.nnz), number('Rows', m => m.rows), number('Columns', m => m.cols), {title: 'Values', get: m => m.field}, {title: 'Symmetry', get: m => m.symmetry},
    {title: 'Kind', get: kindOfMatrix, more: true}, {title: 'Path', get: m => m.path, more: true},
    ...(matrices.some(m => m.taken) ? [{title: 'auto takes', more: true, get: m => m.taken ? `${m.taken.format}, ${orderingLabel(m.taken.ordering)}, ${m.taken.values}` : ''}] : []),
    ...orders.map(name => inOrder('Bandwidth', name, o => o.bandwidth)),
    ...strategies.flatMap(strategy => orders.map(name => inOrder(`${strategy} bits`, name, o => o.classes[strategy] ? o.classes[strategy].bits : null))),
    ...formats.map(format => bytes(format + ', raw', m => { const o = under(m, 'none'); return o && o.sizes[format] ? o.sizes[format].total : null; }, true)),
  ];
}

const isShown = ({title, more}) => more ? list.added.has(title) : !list.removed.has(title);
const shownColumns = () => listColumns().filter(isShown);

/// What is missing comes last in either direction.
function compare(a, b, number, descending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = number ? a - b : collator.compare(a, b);
  return descending ? -order : order;
}

function listRows(column) {
  const rows = shown.map(m => ({m, key: column.get(m)}));
  rows.sort((a, b) => compare(a.key, b.key, column.number, list.descending) || a.m.index - b.m.index);
  return rows.map(row => row.m);
}

function cellText(column, m) {
  const value = column.get(m);
  return value === null ? '' : column.show ? column.show(value) : column.number ? grouped(value) : value;
}

function cell(column, m) {
  if (!column.matrix) return element('td', {class: column.number ? null : 'left'}, cellText(column, m));
  return element('th', {scope: 'row', class: 'left name'}, element('a', {href: '#one-matrix', title: m.path, onclick: () => showMatrix(m.index)}, m.name));
}

/// The columns, the rows in their order, and how many come before the page of rows.
function listState() {
  const columns = shownColumns();
  const sorted = columns.find(column => column.title === list.column) || columns[0];
  return {columns, sorted, rows: listRows(sorted)};
}

function showList() {
  if (!list.body) return;
  const {columns, sorted, rows} = listState();
  list.from = Math.max(0, Math.min(list.from, list.size * Math.floor((rows.length - 1) / list.size)));
  const visible = rows.slice(list.from, list.from + list.size);
  list.head.replaceChildren(element('tr', {}, columns.map(column => headCell(column, column === sorted))));
  list.body.replaceChildren(...visible.map(m => element('tr', {}, columns.map(column => cell(column, m)))));
  list.status.textContent = rows.length === 0 ? 'No matrix passes the filters.'
    : `${grouped(list.from + 1)} to ${grouped(list.from + visible.length)} of ${grouped(rows.length)}`;
  list.save.textContent = `Save ${countText(rows.length, 'row')} as CSV`;
}

function headCell(column, active) {
  const sort = () => {
    Object.assign(list, {descending: active ? !list.descending : Boolean(column.number && column.title !== 'Of CSR'), column: column.title, from: 0});
    showList();
    const at = shownColumns().findIndex(c => c.title === column.title);
    list.head.querySelectorAll('button')[at].focus({preventScroll: true});
  };
  return element('th', {scope: 'col', class: column.number ? null : 'left', 'aria-sort': active ? (list.descending ? 'descending' : 'ascending') : null},
    element('button', {type: 'button', onclick: sort}, column.title));
}

/// A field of RFC 4180. As in results.csv, text that a spreadsheet would take for a formula has an apostrophe before it;
/// numbers stay as they are.
function csvField(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
  return /[",\r\n]|^'/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

/// The rows that pass the filters, in the order and with the columns shown; numbers with all their digits.
function listCsv() {
  const {columns, rows} = listState();
  return [columns.map(c => csvField(c.title)), ...rows.map(m => columns.map(c => csvField(c.get(m))))].map(fields => fields.join(',') + '\r\n').join('');
}

function saveCsv() {
  const address = URL.createObjectURL(new Blob(['\ufeff', listCsv()], {type: 'text/csv;charset=utf-8'}));
  const link = element('a', {href: address, download: 'matrices.csv'});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/// Its boxes are made anew when it opens, since columns depend on the ordering that is compared.
function columnChooser() {
  const choices = element('div', {class: 'choices'});
  const toggle = column => event => {
    const [set, keep] = column.more ? [list.added, event.target.checked] : [list.removed, !event.target.checked];
    if (keep) set.add(column.title);
    else set.delete(column.title);
    showList();
  };
  const fill = () => choices.replaceChildren(...listColumns().filter(column => !column.matrix).map(column =>
    element('label', {}, element('input', {type: 'checkbox', checked: isShown(column), onchange: toggle(column)}), column.title)));
  fill();
  return element('details', {class: 'columns-chooser', ontoggle: fill}, element('summary', {}, 'Columns'), choices);
}

function listParts() {
  list.head = element('thead');
  list.body = element('tbody');
  list.status = element('span', {class: 'status', role: 'status'});
  list.save = element('button', {type: 'button', id: 'save-csv', onclick: saveCsv});
  const turn = by => () => { list.from += by * list.size; showList(); };
  const tools = element('div', {class: 'tools'}, columnChooser(),
    selectBox('Rows', [['50', '50'], ['200', '200'], ['1000000', 'all']], String(list.size), value => { Object.assign(list, {size: Number(value), from: 0}); showList(); }),
    element('span', {class: 'pages'}, element('button', {type: 'button', onclick: turn(-1)}, 'Previous'),
      element('button', {type: 'button', onclick: turn(1)}, 'Next'), list.status), list.save);
  showList();
  return [tools, element('div', {class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': 'Every matrix'},
    element('table', {id: 'list'}, element('caption', {class: 'hidden'}, 'Every matrix'), list.head, list.body))];
}
