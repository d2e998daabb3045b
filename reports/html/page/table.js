'use strict';
// All matrices: sorted by any column, searched by name, one page of rows at a time.

const list = {column: 0, descending: false, search: '', strategy: strategies.includes('delta') ? 'delta' : strategies[0], from: 0, size: 50, body: null, head: null, status: null};

function listColumns() {
  const other = choice.other;
  const figure = (title, ordering, get) => ({title, number: true, get: m => { const o = under(m, ordering); return o ? get(o) : null; }});
  const bits = ordering => figure('Bits,\n' + orderingLabel(ordering), ordering, o => o.classes[list.strategy] ? o.classes[list.strategy].bits : null);
  const size = format => ({title: format, number: true, show: bytesText, get: m => { const o = under(m, 'none'); return o && o.sizes[format] ? o.sizes[format].total : null; }});
  return [
    {title: 'Matrix', get: m => m.name, matrix: true},
    {title: 'Rows', number: true, get: m => m.rows}, {title: 'Columns', number: true, get: m => m.cols},
    {title: 'Entries', number: true, get: m => m.nnz}, {title: 'Field', get: m => m.field}, {title: 'Symmetry', get: m => m.symmetry},
    figure('Bandwidth,\noriginal', 'none', o => o.bandwidth),
    ...(other ? [figure('Bandwidth,\n' + other, other, o => o.bandwidth)] : []),
    bits('none'), ...(other ? [bits(other)] : []),
    ...formats.map(size),
    {title: 'Smallest as', get: m => m.best.format ? `${m.best.format}, ${orderingLabel(m.best.ordering)}, ${m.best.values}` : ''},
    {title: 'Smallest', number: true, show: bytesText, get: m => m.best.format ? m.best.bytes : null},
    {title: 'Of CSR', number: true, show: v => v === null ? '' : (100 * v).toFixed(1) + '%',
     get: m => { const csr = csrOf(m, 'none'); return m.best.format && csr && csr.total ? m.best.bytes / csr.total : null; }},
  ];
}

/// What is missing comes last in either direction.
function compare(a, b, number, descending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = number ? a - b : collator.compare(a, b);
  return descending ? -order : order;
}

function listRows(column) {
  const wanted = list.search.toLowerCase();
  const rows = matrices.filter(m => m.name.toLowerCase().includes(wanted)).map(m => ({m, key: column.get(m)}));
  rows.sort((a, b) => compare(a.key, b.key, column.number, list.descending) || a.m.index - b.m.index);
  return rows.map(row => row.m);
}

function cell(column, m) {
  const value = column.get(m);
  if (column.matrix) {
    return element('td', {class: 'left name'}, element('a', {href: '#spy-section', title: m.path, onclick: () => showMatrix(m.index)}, m.name));
  }
  const text = value === null ? '' : column.show ? column.show(value) : column.number ? grouped(value) : value;
  return element('td', {class: column.number ? null : 'left'}, text);
}

function showList() {
  if (!list.body) return;
  const columns = listColumns();
  list.column = Math.min(list.column, columns.length - 1);
  const rows = listRows(columns[list.column]);
  list.from = Math.max(0, Math.min(list.from, list.size * Math.floor((rows.length - 1) / list.size)));
  const shown = rows.slice(list.from, list.from + list.size);
  list.head.replaceChildren(element('tr', {}, columns.map((column, i) => headCell(column, i))));
  list.body.replaceChildren(...shown.map(m => element('tr', {}, columns.map(column => cell(column, m)))));
  list.status.textContent = rows.length === 0 ? 'No matrix matches.'
    : `${grouped(list.from + 1)} to ${grouped(list.from + shown.length)} of ${grouped(rows.length)}`;
}

function headCell(column, i) {
  const active = i === list.column;
  const sort = () => {
    list.descending = active ? !list.descending : Boolean(column.number);
    list.column = i;
    list.from = 0;
    showList();
    list.head.querySelectorAll('button')[i].focus({preventScroll: true});
  };
  return element('th', {scope: 'col', class: column.number ? null : 'left', 'aria-sort': active ? (list.descending ? 'descending' : 'ascending') : null},
    element('button', {type: 'button', onclick: sort}, column.title));
}

function listSection() {
  list.head = element('thead');
  list.body = element('tbody');
  list.status = element('span', {class: 'status', role: 'status'});
  const search = element('input', {type: 'search', id: 'list-search', placeholder: 'Search names', 'aria-label': 'Search matrices by name',
    oninput: event => { list.search = event.target.value.trim(); list.from = 0; showList(); }});
  const turn = by => () => { list.from += by * list.size; showList(); };
  const tools = element('div', {class: 'tools'}, search,
    selectBox('Bits for', strategies.map(s => [s, s]), list.strategy, value => { list.strategy = value; showList(); }),
    selectBox('Rows', [['50', '50'], ['200', '200'], ['1000000', 'all']], '50', value => { list.size = Number(value); list.from = 0; showList(); }),
    element('span', {class: 'pages'}, element('button', {type: 'button', onclick: turn(-1)}, 'Previous'),
      element('button', {type: 'button', onclick: turn(1)}, 'Next'), list.status));
  const box = element('div', {}, tools, element('div', {class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': 'All matrices'},
    element('table', {id: 'list'}, element('caption', {class: 'hidden'}, 'All matrices'), list.head, list.body)));
  showList();
  return box;
}
