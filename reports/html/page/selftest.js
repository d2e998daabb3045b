'use strict';
// With #selftest in the address, the page tries itself out for the browser test: draws every chart, sorts and searches
// the table, and leaves what it saw in attributes of the document.

async function selfTest() {
  const told = document.documentElement.dataset;
  const start = performance.now();
  await drawAllCharts();
  told.drawMilliseconds = String(Math.round(performance.now() - start));
  if (matrices.length) tryMatrices(told);
  told.resources = String(performance.getEntriesByType('resource').length);
  if (benchRecords.length) await tryMeasured(told);
  if (transferRecords.length) await tryTransfers(told);
  told.bareTexts = JSON.stringify([...document.querySelectorAll('.parts')].flatMap(part => [...part.childNodes]).filter(node => node.nodeType === 3).map(node => node.data));
  told.scheme = darkColours.matches ? 'dark' : 'light';
  if (parent !== window) parent.postMessage(`${document.documentElement.scrollWidth} ${innerWidth}`, '*');
  told.selftest = 'done';
}

function tryMatrices(told) {
  const columns = listColumns();
  const entries = columns.findIndex(c => c.title === 'Entries');
  const shown = () => JSON.stringify([...list.body.rows].map(row => row.cells[entries].textContent));
  const press = () => list.head.querySelectorAll('button')[entries].click();
  const sorting = performance.now();
  press();
  told.sortMilliseconds = String(Math.round(performance.now() - sorting));
  told.sortedDown = shown();
  press();
  told.sortedUp = shown();
  const search = document.getElementById('list-search');
  search.value = matrices.length ? matrices[matrices.length - 1].name : '';
  search.dispatchEvent(new Event('input'));
  told.found = JSON.stringify([...list.body.rows].map(row => row.cells[0].textContent));
  search.value = '';
  search.dispatchEvent(new Event('input'));
  told.spyPixels = String([...document.querySelectorAll('#spy canvas')].map(inkOf));
  touchPoint(told);
  told.names = JSON.stringify([...spy.select.options].map(option => option.text));
}

/// Points at the first mark of a scatter plot and clicks it: its tooltip must tell the name, the click show the pattern.
function touchPoint(told) {
  const marks = [...document.querySelectorAll('[data-chart=blocks-nnz] .role-mark path')];
  const mark = marks.find(path => path.__data__ && path.__data__.datum.name.includes('<')) || marks[0];
  if (!mark) return;
  for (const kind of ['pointerover', 'pointermove', 'click']) mark.dispatchEvent(new PointerEvent(kind, {bubbles: true}));
  const box = document.getElementById('vg-tooltip-element');
  told.tooltip = box ? box.textContent : '';
  told.clicked = document.querySelector('#spy h3').textContent;
}

/// Steps to the next matrix: its table and its chart must follow.
async function tryMeasured(told) {
  const section = document.getElementById('bench-matrix');
  const heading = () => section.querySelector('h3').textContent;
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
  const count = () => section.querySelector('tbody td:nth-child(6)').textContent;
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
