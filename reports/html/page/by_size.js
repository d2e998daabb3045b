'use strict';
// Figures against the size of a matrix: products, solvers, transfers. A CPU stands beside a GPU where both were measured.

const shortPlace = m => m.device === 'cpu' ? `CPU, ${m.threads} thread${m.threads === 1 ? '' : 's'}` : m.device;
const placeTexts = [shortPlace, m => `${shortPlace(m)}, ${m.machine}`, settingText, m => `${settingText(m)}, ${m.compiler}, ${m.commit}`];

/// The machine and setting of a record, in as few words as tell it apart from those of the other records.
function placesOf(records) {
  const settings = [...new Map(records.map(({machine}) => [settingOf(machine), machine])).values()];
  return ({machine}) => {
    const alike = settings.filter(m => shortPlace(m) === shortPlace(machine));
    return (placeTexts.find(words => new Set(alike.map(words)).size === alike.length) || placeTexts[placeTexts.length - 1])(machine);
  };
}

const sizeTitle = records => `n of ${records[0].matrix.generator.name}`;
const families = {solve: 0};  // the one that the reader chose, by part

/// A value of linesSpec for each row of the type that is wanted: figure(row, record) is its height.
function sizeValues(records, type, wanted, figure) {
  const placeOf = placesOf(records);
  return records.flatMap(record => record.formats.filter(row => isRight(row) && row.type === type && wanted(row))
    .map(row => ({x: sizeOf(record), y: figure(row, record), series: seriesOf(row), kind: placeOf(record), name: record.matrix.name})));
}

// --- Products -------------------------------------------------------------------------------------------------------

const noFamily = () => element('p', {class: 'empty'}, 'This run has no matrix in three sizes.');

function benchSizeParts() {
  const all = familiesOf(benchRun()), sized = all.flatMap(family => family.records);
  if (!all.length) return [noFamily()];
  const {wanted} = comparisonOf('bench-size', sized);
  return [comparisonChooser('bench-size', sized), sideBySide(all.flatMap(({title, records}, i) => chartsOfTypes(typesOf(records), [{id: `bench-size-${i}`, title,
    spec: type => linesSpec(sizeValues(records, type, wanted, row => row.gflops), sizeTitle(records), 'Gflop/s', 'Lines: speed of products against the size of the matrix')}])))];
}

// --- Solvers --------------------------------------------------------------------------------------------------------

const solveFamilies = () => familiesOf(solveRecords);
const deviceOf = ({machine: m}) => JSON.stringify([m.machine, m.device]);
const productRate = (row, {matrix}) => 1e-9 * (row.total_bytes + (matrix.rows + matrix.cols) * elementBytes[row.type]) / row.spmv_seconds;

/// Transfers of the same matrices to the same devices, as a program without page-locked memory would send them: array by array.
function transferValues(family, type, wanted) {
  const kind = ({matrix: {generator: g}}) => g && JSON.stringify([g.name, {...g.parameters, n: 0}]);
  const devices = new Set(family.map(deviceOf));
  const rows = transferRecords.filter(record => kind(record) === kind(family[0]) && devices.has(deviceOf(record)));
  const several = new Set(rows.map(({machine}) => settingOf(machine))).size > 1;
  const [memory] = ['pageable', 'pinned'].filter(name => rows.some(record => record.formats.some(row => row.memory === name)));
  return sizeValues(rows, type, row => wanted(row) && row.memory === memory && row.route === 'separate' && row.vectors_seconds > 0, row => 1e3 * withVectors(row))
    .map(v => ({...v, kind: `transfer, ${memory} memory${several ? ', ' + v.kind : ''}`}));
}

/// The order of convergence between neighbouring sizes; generators with a known solution have n inner points a side.
function errorRow(values, sizes) {
  const at = Object.fromEntries(newest(values).map(v => [v.x, v.y])), text = (n, i) => {
    const before = sizes.slice(0, i).reverse().find(m => at[m] > 0);
    return !(at[n] > 0) ? '' : at[n].toExponential(3) + (before ? ` (${(Math.log(at[before] / at[n]) / Math.log((n + 1) / (before + 1))).toFixed(2)})` : '');
  };
  return {series: values[0].series, kind: values[0].kind, texts: sizes.map(text)};
}

function errorTable(records, types, wanted) {
  const known = types.flatMap(type => sizeValues(records, type, wanted, row => row.l2_error).filter(v => isPositive(v.y)).map(v => ({...v, type})));
  const sizes = [...new Set(known.map(v => v.x))].sort((a, b) => a - b);
  const rows = [...groupsOf(known, v => JSON.stringify([v.series, v.kind, v.type])).values()].map(values => ({...errorRow(values, sizes), type: values[0].type}));
  return !rows.length ? [] : [element('h4', {}, 'Error of the solution, and its order'),
    simpleTable([{title: 'format', left: true, text: r => r.series}, {title: 'type', left: true, text: r => r.type}, {title: 'on', left: true, text: r => r.kind},
      ...sizes.map((n, i) => ({title: `n = ${n}`, text: r => r.texts[i]}))], rows, 'L2 errors and their orders'),
    remark('L2 norm of the error. In parentheses: the power of the mesh width by which it falls from the size before.')];
}

function solveSizeParts() {
  const all = solveFamilies(), {records} = all[Math.min(families.solve, all.length - 1)], types = typesOf(records), {wanted} = comparisonOf('solve-size', records);
  const lines = (figure, y, what, extra = () => true) => type => linesSpec(sizeValues(records, type, row => wanted(row) && extra(row), figure), sizeTitle(records), y, `Lines: ${what} against the size of the system`);
  const onGpu = records.filter(record => record.machine.device !== 'cpu'), isCsr = row => row.format === 'csr';
  const ways = new Set(onGpu.flatMap(record => record.formats.filter(isCsr).map(specOf)));
  const familyBox = chooser('Systems', all.map(family => family.title), families.solve, i => { families.solve = i; remakeParts(sectionOf('solve-size')); });
  return [familyBox, comparisonChooser('solve-size', records), sideBySide(chartsOfTypes(types, [
    {id: 'solve-error', title: 'L2 error (paper 003, figure 1)', spec: lines(row => row.l2_error, 'L2 error', 'error of the solution')},
    ...(ways.size > 1 ? [{id: 'solve-ways', title: 'GB/s of CSR’s products on the GPU (paper 003, figure 2)',
      spec: type => linesSpec(sizeValues(onGpu, type, isCsr, productRate), sizeTitle(records), 'GB/s', 'Lines: bandwidth of products of CSR')}] : []),
    {id: 'solve-rate', title: 'GB/s of products (paper 003, figure 3)', spec: lines(productRate, 'GB/s', 'bandwidth of products')},
    {id: 'solve-time', title: 'Time of a product and of the transfer (paper 003, figure 4)', note: () => 'A product: the mean of many, on a GPU of 200 in a row. The transfer: matrix and two vectors, once.',
      spec: type => linesSpec([...sizeValues(records, type, wanted, row => 1e3 * row.spmv_seconds), ...transferValues(records, type, wanted)], sizeTitle(records), 'milliseconds', 'Lines: time of a product and of a transfer')},
    {id: 'solve-updates', title: 'Updates of an unknown per second (paper 003, figure 6)', spec: lines(row => row.updates_per_second, 'updates per second', 'updates per second')},
    {id: 'solve-iterations', title: 'Iterations (paper 003, figure 6)', spec: lines(row => row.iterations, 'iterations', 'iterations')},
  ])), ...errorTable(records, types, wanted)];
}

// --- Transfers ------------------------------------------------------------------------------------------------------

const shownWays = records => memories.flatMap(([memory]) => routes.filter(([route]) => records.some(record =>
  record.formats.some(row => row.route === route && row.memory === memory))).map(([route, title]) => ({route, memory, title: `${title}, ${memory}`})));
const withVectors = row => row.seconds_median + (row.vectors_seconds || 0);
const vectorBytes = (row, {matrix}) => row.vectors_seconds > 0 ? (matrix.rows + matrix.cols) * elementBytes[row.type] : 0;

function transferSizeParts() {
  const all = familiesOf(transferRun());
  if (!all.length) return [noFamily()];
  const {records} = all[Math.min(sent.family, all.length - 1)], ways = shownWays(records), {route, memory} = ways[Math.min(sent.way, ways.length - 1)], types = typesOf(records);
  const choose = key => i => { sent[key] = i; remakeParts(sectionOf('transfer-size')); };
  const {wanted} = comparisonOf('transfer-size', records);
  const lines = (figure, y, what) => type => linesSpec(sizeValues(records, type, row => wanted(row) && row.route === route && row.memory === memory, figure), sizeTitle(records), y, `Lines: ${what} against the size of the matrix`);
  const vectors = records.some(record => record.formats.some(row => row.vectors_seconds > 0)) ? ' of the matrix and both vectors' : '';
  return [chooser('Matrices', all.map(family => family.title), sent.family, choose('family')), chooser('Sent as', ways.map(({title}) => title), sent.way, choose('way')), comparisonChooser('transfer-size', records),
    sideBySide(chartsOfTypes(types, [
      {id: 'transfer-size-time', title: `Time${vectors} (paper 003, figure 4)`, spec: lines(row => 1e3 * withVectors(row), 'milliseconds', 'time of the transfer')},
      {id: 'transfer-size-rate', title: `Speed${vectors} (paper 003, figure 5)`, spec: lines((row, record) => 1e-9 * (row.sent_bytes + vectorBytes(row, record)) / withVectors(row), 'GB/s', 'speed of the transfer')},
      {id: 'transfer-size-product', title: 'Time of a product on the GPU', spec: lines(row => 1e3 * row.spmv_seconds, 'milliseconds', 'time of a product')},
    ]))];
}
