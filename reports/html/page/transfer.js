'use strict';
// Matrices on their way to the GPU (`spress transfer`), as their records stand in the file.

const transferRecords = page.transfer.filter(record => !record.error);
const transferErrors = page.transfer.filter(record => record.error);
const transferRuns = [...groupsOf(transferRecords, record => settingOf(record.machine)).values()];
const sent = {run: 0, matrix: 0, type: 'double', size: 'all', family: 0, way: 1, measure: 'transfer'};
const transferRun = () => transferRuns[sent.run] || [];
const transferRecord = () => transferRun()[Math.min(sent.matrix, transferRun().length - 1)];

/// How a matrix may be sent, and from what memory: [name, title, ...], in the order of bars and charts.
const routes = [['expanded', 'CSR on arrival', '--arrival'], ['packed', 'one buffer', '--after'], ['separate', 'a copy per array', '--before']];
const memories = [['pinned', 'From pinned (page-locked) memory'], ['pageable', 'From pageable memory'], ['staged', 'From pageable memory, by all threads through pinned buffers']];
const routeOf = row => routes.find(([route]) => route === row.route) || [row.route, row.route, '--muted'];
const shownMemories = rows => memories.filter(([memory]) => rows.some(row => row.memory === memory));
const memoryColumn = {title: 'memory', left: true, text: r => r.memory};
const routeColumn = {title: 'sent as', left: true, text: r => routeOf(r)[1]};

/// Geometric means over the matrices of a run, for each format, value store, type and way.
function transferMeans(records) {
  const rows = records.flatMap(record => record.formats);
  return [...groupsOf(rows, row => JSON.stringify([labelOf(row), row.route, row.memory])).values()].map(all => {
    const good = all.filter(row => row.ok === true), mean = key => geometricMean(good.map(row => row[key]));
    return {...all[0], ok: good.length > 0, matrices: good.length, wrong: all.filter(row => row.ok === false).length, left: all.filter(row => row.ok === null).length, byte_ratio: mean('byte_ratio'),
      speedup_vs_csr: mean('speedup_vs_csr'), speedup_vs_csr_arrays: mean('speedup_vs_csr_arrays'), gb_per_s: mean('gb_per_s'),
      products: medianOf(good.map(row => row.break_even_spmv)), transfers: medianOf(good.map(row => row.break_even_transfers))};
  }).filter(row => row.matrices || row.wrong);
}

/// The best of a format first, by what `key` is from pinned memory.
function rankedLabels(rows, key) {
  const best = new Map();
  for (const row of rows) if (row.memory === 'pinned') best.set(labelOf(row), Math.max(best.get(labelOf(row)) || 0, row[key] || 0));
  for (const row of rows) if (!best.has(labelOf(row))) best.set(labelOf(row), 0);
  return [...best.keys()].sort((a, b) => best.get(b) - best.get(a));
}

/// Bars of each format, one for each route, from one kind of memory. A tick stands where the speedup would
/// be if only bytes counted.
function transferSpec(rows, memory) {
  const values = rows.filter(row => row.memory === memory && row.ok === true && row.speedup_vs_csr_arrays > 0).map(row =>
    ({label: labelOf(row), route: routeOf(row)[1], speedup: row.speedup_vs_csr_arrays, bytes: row.byte_ratio, ms: row.seconds_median > 0 ? 1e3 * row.seconds_median : null, rate: row.gb_per_s}));
  if (!values.length) return null;
  const labels = rankedLabels(rows, 'speedup_vs_csr_arrays').filter(label => values.some(v => v.label === label));
  const known = routes.filter(([, title]) => values.some(v => v.route === title)), titles = known.map(([, title]) => title);
  const y = {field: 'label', type: 'nominal', sort: labels, title: null}, yOffset = {field: 'route', type: 'nominal', sort: titles};
  const x = {type: 'quantitative', title: 'speedup over CSR in a copy per array', scale: {zero: true}, axis: {tickCount: 6}};
  return {
    description: `Bars: speedup of each format over CSR on the way to the GPU, from ${memory} memory`, height: Math.max(120, 14 * labels.length * known.length),
    layer: [
      {data: {values}, mark: {type: 'bar'},
       encoding: {y, yOffset, x: {...x, field: 'speedup'}, color: {field: 'route', type: 'nominal', scale: {domain: titles, range: known.map(route => css(route[2]))}},
                  tooltip: tooltip(['label', 'format'], ['route', 'sent as'], ['speedup', 'speedup', '.3f'], ['bytes', 'CSR’s bytes over its own', '.3f'], ['ms', 'ms', '.3~g'], ['rate', 'GB/s', '.3~g'])}},
      {data: {values}, mark: {type: 'tick', color: css('--text'), thickness: 2}, encoding: {y, yOffset, x: {...x, field: 'bytes'}}},
      {data: {values: [{one: 1}]}, mark: {type: 'rule', color: css('--muted'), strokeDash: [4, 3]}, encoding: {x: {...x, field: 'one'}}},
    ],
  };
}

/// Speed of every transfer against its bytes: what small matrices lose.
function transferSpeedSpec(records) {
  const values = records.flatMap(record => record.formats.filter(row => row.ok === true && row.gb_per_s > 0 && row.sent_bytes > 0).map(row =>
    ({name: record.matrix.name, label: labelOf(row), memory: row.memory, route: routeOf(row)[1], bytes: row.sent_bytes, rate: row.gb_per_s})));
  if (!values.length) return null;
  const known = routes.filter(([, title]) => values.some(v => v.route === title)), kinds = shownMemories(values).map(([memory]) => memory);
  return {
    description: 'Scatter plot: speed of each transfer against its bytes', data: {values}, height: 300, mark: {...points(values), filled: true, cursor: null},
    encoding: {
      x: {field: 'bytes', type: 'quantitative', title: 'bytes sent', scale: logScale, axis: logAxis(values, 'bytes')},
      y: {field: 'rate', type: 'quantitative', title: 'GB/s', scale: logScale, axis: logAxis(values, 'rate')},
      color: {field: 'route', type: 'nominal', scale: {domain: known.map(([, title]) => title), range: known.map(route => css(route[2]))}},
      shape: {field: 'memory', type: 'nominal', scale: {domain: kinds, range: ['circle', 'triangle-up', 'diamond'].slice(0, kinds.length)}},
      tooltip: tooltip(['name', 'matrix'], ['label', 'format'], ['route', 'sent as'], ['memory', 'memory'], ['bytes', 'bytes', ','], ['rate', 'GB/s', '.3~g']),
    },
  };
}

const memoryRank = row => memories.findIndex(([memory]) => memory === row.memory);
const sortedTransfers = rows => [...rows].sort((a, b) => memoryRank(a) - memoryRank(b) || (b.speedup_vs_csr_arrays || 0) - (a.speedup_vs_csr_arrays || 0));
const paysBack = count => count === null || count === undefined ? 'never' : grouped(count);
const barsOf = (id, rows) => element('div', {class: 'panels wide'}, shownMemories(rows()).map(([memory, title]) =>
  chart({id: `${id}-${memory}`, title, spec: () => transferSpec(rows().filter(row => row.type === sent.type), memory)})));

/// Small matrices wait for the beginning of a copy, large ones for its bytes: means over both tell of neither.
const sizes = {all: () => true, small: record => csrBytesSent(record) < 1e6, large: record => csrBytesSent(record) >= 1e6};
const sizeTitles = {all: 'all', small: 'CSR below 1 MB', large: 'CSR of 1 MB or more'};
const csrBytesSent = record => Math.max(0, ...record.formats.filter(row => row.format === 'csr' && row.values === 'raw').map(row => row.total_bytes || 0));
const sizedRecords = () => transferRun().filter(sizes[sent.size]);

function sizeChooser() {
  const shown = Object.keys(sizes).filter(size => transferRun().some(sizes[size]));
  if (shown.length < 3) sent.size = 'all';
  return shown.length < 3 ? null : selectBox('Matrices', shown.map(size => [size, sizeTitles[size]]), sent.size, size => {
    sent.size = size;
    remakeParts(sectionOf('transfer'));
  });
}

/// Both types in one chart would be twice as long a chart.
function typeChooser() {
  const types = [...new Set(transferRun().flatMap(record => record.formats.map(row => row.type)))];
  if (!types.includes(sent.type)) sent.type = types[0];
  return types.length < 2 ? null : selectBox('Values in the charts', types.map(type => [type, type]), sent.type, type => {
    sent.type = type;
    for (const c of charts) if (c.drawn && /^transfer-(means|matrix)/.test(c.id)) c.draw();
  });
}

function transferParts() {
  if (!transferRecords.length) return transferErrorParts();
  const choosers = [sizeChooser(), typeChooser()].filter(Boolean), all = transferRun(), records = sizedRecords(), means = transferMeans(records), {machine} = all[0];
  const speeds = memories.map(([memory]) => [memory, medianOf(all.map(record => record[memory + '_gb_per_s']))]).filter(([, speed]) => speed);
  return [
    chooser('Run', transferRuns.map(run => settingText(run[0].machine)), sent.run, run => {
      Object.assign(sent, {run, matrix: 0});
      for (const id of ['transfer', 'transfer-matrix', 'transfer-size']) if (sectionOf(id).body) remakeParts(sectionOf(id));
    }),
    fastestTransfer(means), machineFacts(machine),
    element('p', {class: 'remark'}, speeds.length ? 'One large copy to the device: ' + speeds.map(([memory, speed]) => `${digits(speed)} GB/s ${memory}`).join(', ') + '.' : ''),
    choosers.length ? element('div', {class: 'tools'}, choosers) : null, barsOf('transfer-means', () => transferMeans(sizedRecords())),
    element('p', {class: 'remark'}, `Geometric means over ${grouped(records.length)} ${records.length === 1 ? 'matrix' : 'matrices'}. A tick marks the speedup if only bytes counted.`),
    chart({id: 'transfer-speed', title: 'Speed against bytes sent', spec: () => transferSpeedSpec(transferRun())}),
    simpleTable([formatColumn, {title: 'over CSR sent alike', text: r => factorText(r.speedup_vs_csr)}, {title: 'over CSR’s arrays', text: r => factorText(r.speedup_vs_csr_arrays)}, ...typeColumns, routeColumn, memoryColumn, {title: 'matrices', text: r => grouped(r.matrices)}, {title: 'CSR’s bytes over its own', text: r => factorText(r.byte_ratio)},
      {title: 'GB/s', text: r => digits(r.gb_per_s)},
      {title: 'products to pay', text: r => digits(r.products)}, {title: 'transfers to pay', text: r => digits(r.transfers)},
      {title: 'left out', text: r => r.left ? grouped(r.left) : ''}, {title: 'wrong', text: r => r.wrong ? grouped(r.wrong) : ''}],
      marked(sortedTransfers(means)), 'Geometric means of transfers over all matrices'), ...transferErrorParts()];
}

/// The fastest format in one buffer from pinned memory, against CSR sent alike, among those measured on most matrices.
function fastestTransfer(means) {
  const rows = means.filter(row => row.memory === 'pinned' && row.route === 'packed' && row.speedup_vs_csr > 0), most = Math.max(...rows.map(row => row.matrices));
  const fastest = rows.filter(row => row.matrices === most).reduce((best, row) => !best || row.speedup_vs_csr > best.speedup_vs_csr ? row : best, null);
  return !fastest ? null : element('p', {class: 'answer'}, element('b', {}, factorText(fastest.speedup_vs_csr)),
    ` as fast as CSR sent alike: ${labelOf(fastest)} in one buffer from pinned memory, geometric mean over ${countText(most, 'matrix')}.`);
}

function transferErrorParts() {
  if (!transferErrors.length) return [];
  return [element('h4', {}, 'Not measured'), pagedTable([{title: 'matrix', left: true, text: r => r.matrix.name}, {title: 'what is wrong', left: true, text: r => r.error}], transferErrors, 'Matrices whose transfer could not be measured')];
}

function transferMatrixParts() {
  const body = element('div', {});
  const show = matrix => {
    sent.matrix = matrix;
    body.replaceChildren(...transferTable(transferRecord()));
    for (const c of charts) if (c.drawn && c.id.startsWith('transfer-matrix')) c.draw();
  };
  const parts = [chooser('Matrix', transferRun().map(record => record.matrix.name), sent.matrix, show), barsOf('transfer-matrix', () => transferRecord().formats), body];
  show(sent.matrix);
  return parts;
}

function transferTable(record) {
  const {matrix, formats: rows} = record;
  return [element('h4', {}, matrix.name), element('p', {class: 'remark'}, `${grouped(matrix.rows)} × ${grouped(matrix.cols)}, ${grouped(matrix.nnz)} entries`),
    simpleTable([formatColumn, {title: 'over CSR sent alike', text: r => factorText(r.speedup_vs_csr)}, {title: 'over CSR’s arrays', text: r => factorText(r.speedup_vs_csr_arrays)}, ...typeColumns, routeColumn, memoryColumn, {title: 'bytes sent', text: r => bytesText(r.sent_bytes)}, {title: 'copies', text: r => grouped(r.copies)},
      {title: 'ms', text: r => digits(r.seconds_median === null ? null : 1e3 * r.seconds_median)}, {title: 'GB/s', text: r => digits(r.gb_per_s)},
      {title: 'if bytes were all', text: r => factorText(r.byte_ratio)},
      {title: 'encoding, ms', text: r => digits(r.encode_seconds === null ? null : 1e3 * r.encode_seconds)}, {title: 'products to pay', text: r => r.ok ? paysBack(r.break_even_spmv) : '–'},
      {title: 'transfers to pay', text: r => r.ok ? paysBack(r.break_even_transfers) : '–'}, {title: 'ok', text: verdict}, {title: '', left: true, text: r => r.reason || ''}],
      marked(sortedTransfers(rows)), 'Transfers of ' + matrix.name),
    element('p', {class: 'remark path'}, matrix.path)];
}
