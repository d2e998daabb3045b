'use strict';
// Measurements: products (`spress bench`) and solvers (`spress solve`), as their records stand in the file.

const benchRecords = page.bench.filter(record => !record.error);
const benchErrors = page.bench.filter(record => record.error);
const solveRecords = page.solve;

const digits = (value, n = 3) => typeof value !== 'number' ? '–' : value >= 1000 ? grouped(Math.round(value)) : value.toPrecision(n);
const fixed = (value, n = 2) => typeof value === 'number' ? value.toFixed(n) : '–';
const specOf = row => row.format + (row.parameters ? ':' + row.parameters : '');
const verdict = row => row.ok === null ? '–' : row.ok ? 'ok' : 'WRONG';
const formatColumn = {title: 'format', left: true, text: row => specOf(row) + (row.peer ? ' (peer)' : '')};
const typeColumns = [{title: 'values', left: true, text: row => row.values}, {title: 'type', left: true, text: row => row.type}];

/// One machine and setting: figures of different ones are never averaged.
const settingOf = m => JSON.stringify([m.machine, m.device, m.driver, m.threads, m.instruction_set, m.compiler, m.commit]);
const benchRuns = [...groupsOf(benchRecords, record => settingOf(record.machine)).values()];
const solveRuns = [...groupsOf(solveRecords, record => settingOf(record.machine)).values()];
const measured = {run: 0, matrix: 0, solveRun: 0, solved: 0};
const benchRun = () => benchRuns[measured.run] || [];
const benchRecord = () => benchRun()[Math.min(measured.matrix, benchRun().length - 1)];

const settingText = m => `${m.machine}, ${m.device}${m.driver ? ' (driver ' + m.driver + ')' : ''}, ${m.threads} thread${m.threads === 1 ? '' : 's'}, ${m.instruction_set}`;

function machineFacts(m) {
  const facts = [['machine', m.machine], ['device', m.device], ['driver', m.driver], ['threads', m.threads], ['instruction set', m.instruction_set],
    ['copy bandwidth', m.copy_gb_per_s === null ? 'not measured' : digits(m.copy_gb_per_s) + ' GB/s'],
    ['last-level cache', m.last_level_cache_bytes ? bytesText(m.last_level_cache_bytes) : null], ['compiler', m.compiler], ['commit', m.commit], ['command', m.command]];
  return element('details', {class: 'machine'}, element('summary', {}, settingText(m)),
    element('dl', {class: 'facts'}, facts.filter(([, value]) => value !== null && value !== '').flatMap(([title, value]) =>
      [element('dt', {}, title), element('dd', {}, String(value))])));
}

/// Points of a chart of speedup against bytes: {label, kind, ratio, speedup, ...}. A peer works on CSR's own bytes.
const kindOf = row => row.peer ? 'peer' : row.values === 'raw' ? 'raw values' : 'coded values';
const labelOf = row => specOf(row) + (row.values === 'raw' ? '' : ' ' + row.values) + (row.type === 'double' ? '' : ' ' + row.type);

function speedupSpec(rows) {
  const values = rows.map(row => ({label: labelOf(row), kind: kindOf(row), ratio: row.ratio_to_csr ?? (row.peer ? 1 : null), speedup: row.speedup_vs_csr}))
    .filter(v => v.ratio > 0 && v.speedup > 0);
  if (!values.length) return null;
  const ranked = [...values].sort((a, b) => b.speedup - a.speedup);
  const named = new Set(ranked.filter((v, i) => i < 10 || v.kind === 'peer'));
  const ratios = values.map(v => v.ratio), least = Math.min(...ratios, 1) * 0.9, most = Math.max(...ratios, 1) * 1.1;
  const limit = Array.from({length: 40}, (_, i) => { const ratio = least * (most / least) ** (i / 39); return {ratio, speedup: 1 / ratio}; });
  const scale = {type: 'log', domain: [least, most], nice: false};
  const factors = factorScale(values.map(v => ({factor: v.speedup})));
  const x = {field: 'ratio', type: 'quantitative', title: 'bytes over CSR’s', scale, axis: axisOf([0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10])};
  const y = {field: 'speedup', type: 'quantitative', title: 'speedup over our CSR', ...factors};
  return {
    description: 'Scatter plot: speedup over CSR against bytes over those of CSR', height: 360,
    layer: [
      {data: {values: limit}, mark: {type: 'line', color: css('--muted'), strokeDash: [4, 3], clip: true}, encoding: {x, y}},
      {data: {values: [{one: 1}]}, mark: {type: 'rule', color: css('--line')}, encoding: {y: {field: 'one', type: 'quantitative'}}},
      {data: {values}, mark: {type: 'point', filled: true, size: 60, opacity: 0.8},
       encoding: {x, y, color: {field: 'kind', type: 'nominal', scale: {domain: ['raw values', 'coded values', 'peer'], range: ['--after', '--before', '--bits-32'].map(css)}},
                  tooltip: tooltip(['label', 'format'], ['kind', 'values'], ['ratio', 'bytes over CSR’s', '.3f'], ['speedup', 'speedup', '.3f'])}},
      {data: {values: values.filter((v, i) => ranked.some(r => r === v && named.has(r)))}, mark: {type: 'text', align: 'left', dx: 7, color: css('--text')},
       encoding: {x, y, text: {field: 'label'}}},
    ],
  };
}

/// Geometric means over the matrices of a run, for each format, value store and type. Rows that were found wrong or could
/// not be measured count in their own columns only.
function benchMeans(records) {
  const rows = records.flatMap(record => record.formats);
  return [...groupsOf(rows, row => JSON.stringify([specOf(row), row.values, row.type, row.peer])).values()].map(all => {
    const good = all.filter(row => row.ok === true), mean = key => geometricMean(good.map(row => row[key]));
    const {format, parameters, values, type, peer} = all[0];
    return {format, parameters, values, type, peer, matrices: good.length, wrong: all.filter(row => row.ok === false).length, left: all.filter(row => row.ok === null).length,
      ratio_to_csr: mean('ratio_to_csr'), bytes_per_nnz: mean('bytes_per_nnz'), gb_per_s: mean('gb_per_s'), speedup_vs_csr: mean('speedup_vs_csr'), speedup_vs_best_peer: mean('speedup_vs_best_peer'), speedup_vs_best_cusparse: mean('speedup_vs_best_cusparse'),
      least: good.length ? Math.min(...finite(good.map(row => row.speedup_vs_csr))) : null, encode: medianOf(good.map(row => row.encode_in_csr_spmv))};
  }).sort((a, b) => (b.speedup_vs_csr || 0) - (a.speedup_vs_csr || 0));
}

/// On a GPU all peers are cuSPARSE's, and rows tell the kernel taken.
const peerColumn = rows => rows.some(row => row.speedup_vs_best_cusparse > 0)
  ? {title: 'vs cuSPARSE', text: r => r.peer ? '' : factorText(r.speedup_vs_best_cusparse)}
  : {title: 'vs peer', text: r => r.peer ? '' : factorText(r.speedup_vs_best_peer)};
const kernelColumns = rows => rows.some(row => row.kernel)
  ? [{title: 'kernel', left: true, text: r => (r.kernel || '') + (r.repeatable === false ? ' (bits vary)' : '')}] : [];

const rowClass = row => row.ok === false || row.wrong ? 'wrong' : row.peer ? 'peer' : null;
const marked = rows => rows.map(row => ({...row, class: rowClass(row)}));

function benchMeansTable(means) {
  return simpleTable([formatColumn, {title: 'speedup', text: r => factorText(r.speedup_vs_csr)}, {title: 'of CSR', text: r => fixed(r.ratio_to_csr, 3)}, ...typeColumns, {title: 'matrices', text: r => grouped(r.matrices)}, {title: 'bytes/entry', text: r => fixed(r.bytes_per_nnz)},
    {title: 'GB/s', text: r => digits(r.gb_per_s)},
    {title: 'least', text: r => factorText(r.least)}, peerColumn(means),
    {title: 'encoding', text: r => digits(r.encode)}, {title: 'left out', text: r => r.left ? grouped(r.left) : ''}, {title: 'wrong', text: r => r.wrong ? grouped(r.wrong) : ''}],
    marked(means), 'Geometric means over all matrices');
}

/// A box to choose one of several, with buttons to step. With one there is nothing to choose.
function chooser(label, names, at, show) {
  if (names.length < 2) return null;
  const box = selectBox(label, names.map((name, i) => [String(i), name]), String(at), value => show(Number(value)));
  const step = by => () => {
    const select = box.querySelector('select');
    select.value = String((Number(select.value) + by + names.length) % names.length);
    show(Number(select.value));
  };
  return element('div', {class: 'tools'}, box, element('button', {type: 'button', onclick: step(-1)}, 'Previous'), element('button', {type: 'button', onclick: step(1)}, 'Next'));
}

/// The fastest of our formats among those that hold most matrices.
function fastestParagraph(means) {
  const ours = means.filter(row => !row.peer && row.speedup_vs_csr > 0), most = Math.max(...ours.map(row => row.matrices));
  const [fastest] = ours.filter(row => row.matrices === most);
  return !fastest ? null : element('p', {class: 'answer'}, element('b', {}, factorText(fastest.speedup_vs_csr)),
    ` as fast as our CSR: ${labelOf(fastest)}, the fastest format in the geometric mean over ${countText(most, 'matrix')}.`);
}

const sectionOf = id => sections.find(section => section.id === id);
const benchParts = () => {
  const records = benchRun(), means = benchMeans(records);
  const shown = means.filter(row => row.matrices || row.wrong), never = means.filter(row => !row.matrices && !row.wrong);
  const cached = records.filter(record => record.working_set_in_cache).length;
  return [
    chooser('Run', benchRuns.map(run => settingText(run[0].machine)), measured.run, run => {
      Object.assign(measured, {run, matrix: 0});
      for (const id of ['bench', 'bench-every', 'bench-size', 'traffic', 'bench-grid', 'bench-matrix']) if (sectionOf(id).body) remakeParts(sectionOf(id));
    }),
    fastestParagraph(shown), machineFacts(records[0].machine),
    cached ? element('p', {class: 'remark'}, `CSR and both vectors of ${grouped(cached)} of the ${grouped(records.length)} matrices fit the last-level cache: such times flatter CSR.`) : null,
    chart({id: 'bench-means', title: `Geometric means over ${grouped(records.length)} ${records.length === 1 ? 'matrix' : 'matrices'}`, spec: () => speedupSpec(benchMeans(benchRun())),
      note: () => 'On the dashed line a product is faster by as much as its matrix is smaller.'}),
    benchMeansTable(shown),
    element('p', {class: 'remark'}, never.length ? 'No product of any matrix: ' + never.map(row => `${specOf(row)} with ${row.values} values (${row.type})`).join(', ') + '. ' : '',
      'A mean counts the matrices that the format and its value store can hold. Compare rows with the same number of matrices.'), ...benchErrorParts()];
};

function benchErrorParts() {
  if (!benchErrors.length) return [];
  return [element('h4', {}, 'Not measured'), pagedTable([{title: 'matrix', left: true, text: r => r.matrix.name}, {title: 'what is wrong', left: true, text: r => r.error}], benchErrors, 'Matrices that could not be measured')];
}

function benchMatrixParts() {
  const body = element('div', {});
  const show = matrix => {
    measured.matrix = matrix;
    body.replaceChildren(...benchMatrixTable(benchRecord()));
    for (const c of charts) if (c.drawn && c.id === 'bench-matrix') c.draw();
  };
  const parts = [chooser('Matrix', benchRun().map(record => record.matrix.name), measured.matrix, show),
    chart({id: 'bench-matrix', title: 'Speedup against bytes', spec: () => speedupSpec(benchRecord().formats)}), body];
  show(measured.matrix);
  return parts;
}

function benchMatrixTable(record) {
  const {matrix, formats: rows} = record;
  const sorted = [...rows].sort((a, b) => (b.ok === true) - (a.ok === true) || (b.speedup_vs_csr || 0) - (a.speedup_vs_csr || 0));
  const facts = [`${grouped(matrix.rows)} × ${grouped(matrix.cols)}`, `${grouped(matrix.nnz)} entries`, `CSR ${bytesText(record.csr_bytes)}`,
    record.csr_seconds ? `${digits(1e3 * record.csr_seconds)} ms a product` : null, record.working_set_in_cache ? 'fits the last-level cache' : null];
  return [element('h4', {}, matrix.name), element('p', {class: 'remark'}, facts.filter(Boolean).join(', ')),
    simpleTable([formatColumn, {title: 'speedup', text: r => factorText(r.speedup_vs_csr)}, {title: 'of CSR', text: r => fixed(r.ratio_to_csr, 3)}, ...typeColumns, {title: 'bytes/entry', text: r => fixed(r.bytes_per_nnz)},
      {title: 'ms', text: r => digits(r.seconds_median === null ? null : 1e3 * r.seconds_median)},
      {title: 'min to max', text: r => r.seconds_min === null ? '–' : `${digits(1e3 * r.seconds_min)} to ${digits(1e3 * r.seconds_max)}`},
      {title: 'GB/s', text: r => digits(r.gb_per_s)}, {title: 'Gflop/s', text: r => digits(r.gflops)},
      peerColumn(rows),
      {title: 'encoding', text: r => digits(r.encode_in_csr_spmv)}, ...kernelColumns(rows), {title: 'ok', text: verdict}, {title: '', left: true, text: r => r.reason || ''}], marked(sorted), 'Products of ' + matrix.name),
    element('p', {class: 'remark path'}, matrix.path)];
}

/// Solvers: the same system in each format. A pair begins with one format while the other is prepared.
function solveMeans(records) {
  const rows = records.flatMap(record => record.formats.map(row => {
    const csr = record.formats.find(r => r.format === 'csr' && r.type === row.type && r.preconditioner === row.preconditioner);
    return {...row, more: csr && csr.iterations ? Math.abs(row.iterations / csr.iterations - 1) : null};
  }));
  return [...groupsOf(rows, row => JSON.stringify([specOf(row), row.values, row.type, row.preconditioner])).values()].map(all => {
    const good = all.filter(row => row.ok === true), mean = key => geometricMean(good.map(row => row[key]));
    const {format, parameters, values, type, preconditioner} = all[0];
    return {format, parameters, values, type, preconditioner, matrices: good.length, wrong: all.filter(row => row.ok === false).length,
      converged: good.filter(row => row.converged).length, speedup: mean('speedup_vs_csr'), total: mean('total_speedup_vs_csr'),
      updates: mean('updates_per_second'), more: Math.max(0, ...good.map(row => row.more || 0))};
  });
}

const preconditionerColumn = {title: 'preconditioner', left: true, text: r => r.preconditioner};

function solveParts() {
  const body = element('div', {}), records = solveRuns[measured.solveRun];
  const show = solved => {
    measured.solved = solved;
    body.replaceChildren(...solveTable(records[solved]));
  };
  show(measured.solved);
  return [chooser('Run', solveRuns.map(run => settingText(run[0].machine)), measured.solveRun, solveRun => {
      Object.assign(measured, {solveRun, solved: 0});
      for (const id of ['solve', 'solve-every']) if (sectionOf(id).body) remakeParts(sectionOf(id));
    }),
    machineFacts(records[0].machine), simpleTable([formatColumn, {title: 'speedup', text: r => factorText(r.speedup)}, {title: 'with encoding', text: r => factorText(r.total)}, ...typeColumns, preconditionerColumn, {title: 'systems', text: r => grouped(r.matrices)}, {title: 'converged', text: r => grouped(r.converged)},
      {title: 'iterations, most off CSR’s', text: r => (100 * r.more).toFixed(1) + '%'}, {title: 'updates/s', text: r => digits(r.updates)},
      {title: 'wrong', text: r => r.wrong ? grouped(r.wrong) : ''}],
      marked(solveMeans(records)), 'Geometric means over all systems'),
    element('h4', {}, 'By system'), chooser('System', records.map(record => record.matrix.name), measured.solved, show), body];
}

const exponent = value => typeof value === 'number' ? value.toExponential(2) : '–';

/// Where the matrix went to a device.
const transferColumns = rows => rows.some(row => row.transfer_seconds > 0)
  ? [{title: 'to the device, s', text: r => digits(r.transfer_seconds)}] : [];

function solveTable(record) {
  const {matrix} = record;
  return [element('h4', {}, matrix.name),
    element('p', {class: 'remark'}, `${grouped(matrix.rows)} rows, ${grouped(matrix.nnz)} entries, on ${record.device} with ${record.threads} thread${record.threads === 1 ? '' : 's'}; right-hand side: ${record.right_hand_side}; `
      + `to a residual of ${record.tolerance.toExponential(0)} or ${grouped(record.max_iterations)} iterations.`),
    simpleTable([formatColumn, {title: 'speedup', text: r => factorText(r.speedup_vs_csr)}, {title: 'with encoding', text: r => factorText(r.total_speedup_vs_csr)}, ...typeColumns, preconditionerColumn, {title: 'iterations', text: r => grouped(r.iterations)}, {title: 'end', left: true, text: r => r.stop},
      {title: 'seconds', text: r => digits(r.seconds)}, {title: 'updates/s', text: r => digits(r.updates_per_second)}, {title: 'products', text: r => r.product_share === null ? '–' : percentText(r.product_share, 1)},
      {title: 'true residual', text: r => exponent(r.true_residual)}, {title: 'L2 error', text: r => exponent(r.l2_error)}, {title: 'encoding, s', text: r => digits(r.encode_seconds)}, ...transferColumns(record.formats),
      {title: 'switched at', text: r => grouped(r.switched_at)}, {title: 'ok', text: verdict}, {title: '', left: true, text: r => r.reason || ''}], marked(record.formats), 'Solvers of ' + matrix.name),
    element('p', {class: 'remark path'}, matrix.path)];
}
