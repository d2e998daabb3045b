'use strict';
// With #selftest in the address, the page tries itself out for the browser test: it draws every chart, filters, brushes,
// sorts, saves and points, and leaves what it saw in attributes of the document.

const told = document.documentElement.dataset;
const tell = (key, value) => { told[key] = JSON.stringify(value); };
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
const textsOf = selector => [...document.querySelectorAll(selector)].map(node => node.textContent);
const tableOf = selector => [...document.querySelectorAll(selector + ' tr')].map(row => [...row.cells].map(cell => cell.textContent));

async function selfTest() {
  tell('madeMilliseconds', Math.round(performance.now()));
  tellGeometry();
  const start = performance.now();
  await drawAllCharts();
  tell('drawMilliseconds', Math.round(performance.now() - start));
  tell('axisLabels', textsOf('.role-axis-label text'));
  await tryComparison();
  tell('figures', figuresDrawn());
  if (matrices.length) await tryMatrices();
  if (benchRecords.length) await tryMeasured(told);
  if (transferRecords.length) await tryTransfers(told);
  tell('bareTexts', [...document.querySelectorAll('.parts')].flatMap(part => [...part.childNodes]).filter(node => node.nodeType === 3).map(node => node.data));
  tell('resources', performance.getEntriesByType('resource').map(entry => entry.name));
  tell('scheme', darkColours.matches ? 'dark' : 'light');
  tell('wide', tooWide());
  if (parent !== window) parent.postMessage(JSON.stringify({...told}), '*');
  told.selftest = 'done';
}

/// Compares the formats of the last paper that the run has, matrix by matrix.
async function tryComparison() {
  const select = document.querySelector('#bench-every select'), papers = select ? [...select.options].filter(option => option.text.includes('paper')) : [];
  if (!papers.length) return;
  select.value = papers[papers.length - 1].value;
  select.dispatchEvent(new Event('change'));
  await drawAllCharts();
}

/// The points of the charts that compare measurements, and the tables below them.
function figuresDrawn() {
  const data = chart => [...document.querySelectorAll(`[data-chart=${chart}] .mark-symbol.role-mark path`)].map(path => path.__data__.datum);
  const drawn = charts.map(({id}) => [id, data(id).filter(d => d.series).map(d => [d.series, d.kind || d.name, d.x || d.predicted || d.nnz, d.y || d.counted])]);
  const tables = ['solve-size', 'bench-threads', 'traffic'].map(id => [id, tableOf('#' + id)]);
  const ranks = charts.map(({id}) => [id, new Set(data(id).map(d => d.rank)).size]);
  return {ranks: Object.fromEntries(ranks), charts: Object.fromEntries(drawn.filter(([, points]) => points.length)), tables: Object.fromEntries(tables),
          titles: Object.fromEntries(charts.map(({id, figure}) => [id, figure.querySelector('figcaption').textContent]))};
}

/// Elements that reach beyond the window, but for what lies in boxes that scroll.
function tooWide() {
  for (const box of document.querySelectorAll('details')) box.open = true;
  const inner = '.scroll *, .links *, .chart *, .hidden';
  return [...document.body.querySelectorAll('*')].filter(node => !node.matches(inner) && node.getBoundingClientRect().right > innerWidth + 0.5)
    .map(node => `${node.tagName}.${node.className} in ${node.closest('[id]') ? node.closest('[id]').id : ''}`);
}

const boxOf = node => { const {left, top, right, bottom, width, height} = node.getBoundingClientRect(); return {left, top, right, bottom, width, height}; };

/// The places of the answer on the first screen, and of the column with the share of CSR.
function tellGeometry() {
  tell('window', {width: innerWidth, height: innerHeight, content: document.documentElement.scrollWidth});
  const answer = document.querySelector('.answer'), share = document.querySelector('#bytes tbody td'), listed = document.querySelector('#list tbody td');
  if (answer) tell('answerBox', boxOf(answer));
  if (share) tell('shareBoxes', [boxOf(share), boxOf(listed)]);
}

async function tryMatrices() {
  tell('answer', textsOf('#answer .answer')[0]);
  tell('agreement', disagreements());
  trySorting();
  tell('pairs', pairsDrawn());
  await tryCsv();
  await trySpies();
  await tryFilters();
  await tryBrush();
  await touchPoint();
}

/// Figures of the page that differ from those of summary.json, for all matrices.
function disagreements() {
  const wrong = [], same = (what, a, b) => { if (a !== b) wrong.push(`${what}: ${a}, not ${b}`); };
  const best = bestBytes(matrices);
  same('best bytes', best.bytes, summary.best.total_bytes);
  same('CSR bytes', best.csr, summary.best.csr_total_bytes);
  for (const f of summary.footprints.filter(f => f.ordering === 'none' && f.csr_total_bytes)) {
    const [here] = bytesIn(matrices, f.format, ['none']);
    same(f.format, here.raw, f.total_bytes);
    same(f.format + ' CSR', here.csr, f.csr_total_bytes);
  }
  const {formats: needed, least_entries: least, least_entries_a_row: leastInRow} = summary.index_bytes_per_nnz;
  for (const f of needed) {
    const here = indexBytes(matrices.filter(m => m.nnz >= least && Math.floor(m.nnz / leastInRow) >= m.rows), f.format);
    if (here) same(f.format + ' bytes of indices', [here.matrices, here.most.bytes.toFixed(6)].join(), [f.matrices, f.most.toFixed(6)].join());
  }
  const [{compositions, order_bytes: orderBytes}] = summary.selections;
  for (const c of compositions) same(`${c.strategy} to ${c.to}`, String(composition(matrices, c.strategy, c.to).counts), String(c.counts));
  for (const o of orderBytes) for (const [key, bytes] of [['chosen', chosenBytes], ['smallest', smallestBytes]]) {
    const here = byteChanges(matrices, o.ordering, bytes);
    same(`${key} bytes of ${o.ordering}`, String([here.matrices, here.before, here.after, here.smaller]), String([o[key].matrices, o[key].before_bytes, o[key].after_bytes, o[key].smaller]));
  }
  return wrong;
}

function trySorting() {
  const at = title => shownColumns().findIndex(c => c.title === title);
  const cells = () => [...list.body.rows].map(row => row.cells[at('Entries')].textContent);
  const press = () => list.head.querySelectorAll('button')[at('Entries')].click();
  const sorting = performance.now();
  press();
  tell('sortMilliseconds', Math.round(performance.now() - sorting));
  tell('sortedDown', cells());
  press();
  tell('sortedUp', cells());
  tell('listHead', shownColumns().map(c => c.title));
  const box = document.getElementById('list').parentElement, name = () => list.body.rows[0].cells[0].getBoundingClientRect().left;
  const before = name();
  box.scrollLeft = 150;
  tell('nameMoved', {scrolled: box.scrollLeft, by: name() - before});
  box.scrollLeft = 0;
}

/// The bars before and after reordering: format, order, bytes and matrices.
const pairsDrawn = () => [...document.querySelectorAll('[data-chart=orders] .mark-rect path')].map(path => path.__data__.datum)
  .map(({row, ordering, exact, matrices: count}) => [row, ordering, exact, count]);

/// Presses the button, and reads what it would save.
async function tryCsv() {
  const box = document.querySelector('.columns-chooser');
  box.open = true;
  await pause(50);
  const path = () => [...box.querySelectorAll('label')].find(label => label.textContent === 'Path').querySelector('input');
  path().click();
  Object.assign(list, {size: 1e6});
  showList();
  const make = URL.createObjectURL;
  let saved = null;
  URL.createObjectURL = blob => { saved = blob; return make.call(URL, blob); };
  document.getElementById('save-csv').click();
  URL.createObjectURL = make;
  tell('csv', await saved.text());
  tell('listCells', [...list.body.rows].map(row => [...row.cells].map(cell => cell.textContent)));
  path().click();
  box.open = false;
  Object.assign(list, {size: 50});
  showList();
}

async function trySpies() {
  await Promise.all(spy.drawing);
  tell('spyPixels', [...document.querySelectorAll('#spy canvas')].map(inkOf));
  const largest = matrices.find(m => shownOrderings().every(name => under(m, name) && under(m, name).spySize === 256));
  if (largest) showMatrix(largest.index);
  await Promise.all(spy.drawing);
  tell('spyCells', [...document.querySelectorAll('#spy canvas')].map(canvas => Number(canvas.dataset.cells)));
  if (largest) tell('spyLevels', (await pictureCells(under(largest, 'none'))).join(''));
  if (largest) tell('spyName', largest.name);
  tell('names', [...spy.select.options].map(option => option.text));
}

/// A filter by symmetry, then one by the fewest entries beside it: figures of all four questions must follow.
async function tryFilters() {
  const overview = () => ({answer: textsOf('#answer .answer b')[0], tiles: textsOf('#answer .tile b'), bytes: tableOf('#bytes'), orders: tableOf('#orders'),
    indices: tableOf('#index-bytes'), rows: list.status.textContent, status: textsOf('#filter-status')[0], names: [...shown].map(m => m.name)});
  tell('unfiltered', overview());
  const {symmetry, entriesFrom} = filterPanel.fields;
  symmetry.value = 'square-pattern-symmetric';
  symmetry.dispatchEvent(new Event('change'));
  tell('filtered', overview());
  entriesFrom.value = '10k';
  entriesFrom.dispatchEvent(new Event('input'));
  await pause(300);
  tell('filteredTwice', overview());
  const filtering = performance.now();
  filterPanel.clear.click();
  tell('filterMilliseconds', Math.round(performance.now() - filtering));
  tell('cleared', overview());
}

const pointer = (target, kind, x, y) => target.dispatchEvent(new PointerEvent(kind, {bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, isPrimary: true, button: 0, buttons: kind === 'pointerup' ? 0 : 1}));

/// Draws a rectangle over the left half of the chart of all matrices.
async function tryBrush() {
  const state = charts.find(c => c.id === 'every-matrix');
  if (!state) return;
  await state.draw();
  state.figure.scrollIntoView({block: 'center'});
  const surface = state.place.querySelector('svg, canvas'), {left, top} = boxOf(surface), view = state.view, [dx, dy] = view.origin();
  const {left: padLeft, top: padTop} = view.padding(), at = (x, y) => [left + padLeft + dx + x, top + padTop + dy + y];
  pointer(document.elementFromPoint(...at(1, 1)), 'pointerdown', ...at(1, 1));
  for (const part of [0.2, 0.5]) pointer(window, 'pointermove', ...at(part * view.width(), view.height() - 1));
  pointer(window, 'pointerup', ...at(0.5 * view.width(), view.height() - 1));
  await pause(600);
  tell('brushed', {fields: Object.fromEntries(ranges.map(key => [key, filterPanel.fields[key].value])), names: shown.map(m => m.name), status: textsOf('#filter-status')[0], same: charts.includes(state)});
  filterPanel.clear.click();
  await drawAllCharts();
}

/// Points at the first mark of a scatter plot and clicks it: its tooltip must tell the name, the click show the matrix.
async function touchPoint() {
  const marks = [...document.querySelectorAll('[data-chart=blocks-nnz] .role-mark path')];
  const mark = marks.find(path => path.__data__ && path.__data__.datum.name.includes('<')) || marks[0];
  if (!mark) return;
  mark.scrollIntoView({block: 'center'});
  const {left, top, width, height} = boxOf(mark);
  for (const kind of ['pointerover', 'pointermove']) pointer(mark, kind, left + width / 2, top + height / 2);
  await pause(100);
  const box = document.getElementById('tooltip');
  tell('tooltip', box ? box.textContent : '');
  tell('tooltipBox', box ? {...boxOf(box), rows: box.querySelectorAll('p').length, innerWidth, innerHeight} : null);
  pointer(mark, 'click', left + width / 2, top + height / 2);
  tell('clicked', document.querySelector('#spy h4').textContent);
}

/// Steps to the next matrix: its table and its chart must follow.
async function tryMeasured(told) {
  const section = document.getElementById('bench-matrix');
  const heading = () => section.querySelector('h4').textContent;
  told.benchFirst = heading();
  const next = section.querySelectorAll('.tools button')[1];
  if (next) next.click();
  await Promise.all(charts.map(c => c.waiting));
  told.benchNext = heading();
  told.benchRows = String(section.querySelectorAll('tbody tr').length);
  await tryGrid(told);
  told.benchRuns = JSON.stringify([...document.querySelectorAll('#bench .tools option')].map(option => option.text));
  told.solveColumns = JSON.stringify([...document.querySelectorAll('#solve th')].map(cell => cell.textContent));
}

/// The table of every matrix and format of the last run, over each of what products are held against.
async function tryGrid(told) {
  const section = document.getElementById('bench-grid');
  const cells = () => [...section.querySelectorAll('.grid tr')].map(row => [...row.cells].map(cell => cell.textContent));
  told.grid = JSON.stringify(cells());
  const previous = document.querySelector('#bench .tools button');
  if (previous) previous.click();  // before the first run comes the last
  const select = section.querySelector('.tools select');
  if (!select) return;
  told.gridMeasures = JSON.stringify([...select.options].map(option => option.value));
  select.value = select.options[select.options.length - 1].value;
  select.dispatchEvent(new Event('change'));
  told.gridLast = JSON.stringify(cells());
  told.gpuColumns = JSON.stringify([...document.querySelectorAll('#bench-matrix th')].map(cell => cell.textContent));
  await drawAllCharts();
}

/// Transfers of small matrices only: the means follow.
async function tryTransfers(told) {
  const section = document.getElementById('transfer');
  const count = () => section.querySelector('tbody td:nth-child(8)').textContent;
  const select = [...section.querySelectorAll('.tools select')].find(box => [...box.options].some(option => option.value === 'small'));
  told.transferMatrices = count();
  if (!select) return;
  select.value = 'small';
  select.dispatchEvent(new Event('change'));
  told.transferSmall = count();
  await drawAllCharts();
}

function inkOf(canvas) {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let ink = 0;
  for (let i = 3; i < pixels.length; i += 4) ink += pixels[i] > 0;
  return ink;
}

if (location.hash === '#selftest') selfTest().catch(error => { document.documentElement.dataset.selftest = String(error); });
