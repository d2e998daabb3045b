'use strict';
// Products at one sight: every matrix against every format, and bytes against time. Follows the run that measured.js
// chose.

/// What a product may be held against; those that the run has.
const productMeasures = {speedup_vs_csr: 'our CSR', speedup_vs_best_peer: 'the fastest peer', speedup_vs_best_cusparse: 'the best of cuSPARSE'};
const hasMeasure = (records, key) => records.some(r => r.formats.some(row => row.ok && row[key] > 0));
/// On a GPU all peers are cuSPARSE's.
const measuresOf = records => Object.keys(productMeasures).filter(key => hasMeasure(records, key)
  && (key !== 'speedup_vs_best_peer' || !hasMeasure(records, 'speedup_vs_best_cusparse')));
let productMeasure = 'speedup_vs_csr';

const columnOf = row => specOf(row) + (row.type === 'double' ? '' : ' ' + row.type);

/// {columns: [{name, peer, mean}], lines: [{record, cells: Map of column to its fastest right row}]}, peers last, the
/// others by their geometric means.
function productGrid(records, measure) {
  const columns = new Map();
  const lines = records.map(record => {
    const cells = new Map();
    for (const row of record.formats) {
      if (row.ok !== true || !(row[measure] > 0)) continue;
      const name = columnOf(row), known = cells.get(name);
      if (!known || row[measure] > known[measure]) cells.set(name, row);
      columns.set(name, {name, peer: row.peer});
    }
    return {record, cells};
  });
  for (const column of columns.values()) column.mean = geometricMean(lines.map(line => line.cells.has(column.name) ? line.cells.get(column.name)[measure] : null));
  return {lines, columns: [...columns.values()].sort((a, b) => a.peer - b.peer || b.mean - a.mean)};
}

/// Blue where faster, orange where slower, full at a factor of 3.
function shadeOf(factor) {
  const strength = Math.min(1, Math.abs(Math.log(factor)) / Math.log(3));
  return `background: color-mix(in srgb, var(${factor >= 1 ? '--after' : '--before'}) ${Math.round(45 * strength)}%, transparent)`;
}

function gridCell(row, measure, best) {
  if (!row) return element('td', {}, '');
  const told = [labelOf(row), row.kernel, row.repeatable === false ? 'bits vary' : null, `${digits(1e3 * row.seconds_median)} ms`, `${digits(row.gb_per_s)} GB/s`].filter(Boolean).join(', ');
  return element('td', {style: shadeOf(row[measure]), class: best ? 'best' : null, title: told}, fixed(row[measure]));
}

function gridTable(records, measure) {
  const {columns, lines} = productGrid(records, measure);
  if (!columns.length) return element('p', {class: 'empty'}, 'Nothing was measured.');
  const body = lines.map(({record, cells}) => {
    const ours = columns.filter(c => !c.peer && cells.has(c.name)).map(c => cells.get(c.name)[measure]), most = Math.max(...ours);
    return element('tr', {}, element('th', {scope: 'row', class: 'left name', title: record.matrix.path}, record.matrix.name + (record.working_set_in_cache ? ' *' : '')),
      element('td', {}, grouped(record.matrix.nnz)),
      columns.map(c => gridCell(cells.get(c.name), measure, !c.peer && cells.has(c.name) && cells.get(c.name)[measure] === most)));
  });
  const means = element('tr', {class: 'means'}, element('th', {scope: 'row', class: 'left'}, 'geometric mean'), element('td'),
    columns.map(c => element('td', {style: shadeOf(c.mean)}, fixed(c.mean))));
  const caption = 'Speedup of every matrix and format over ' + productMeasures[measure];
  return element('div', {class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': caption}, element('table', {class: 'grid'},
    element('caption', {class: 'hidden'}, caption),
    element('thead', {}, element('tr', {}, element('th', {scope: 'col', class: 'left'}, 'matrix'), element('th', {scope: 'col'}, 'entries'),
      columns.map(c => element('th', {scope: 'col', class: c.peer ? 'peer' : null}, c.name)))),
    element('tbody', {}, body, means)));
}

/// Every product of the run: bytes moved, vectors included, against its time; and the time that a copy would take.
function bytesTimeSpec(records) {
  const values = records.flatMap(record => record.formats.filter(row => row.ok === true && row.gb_per_s > 0 && row.seconds_median > 0).map(row =>
    ({name: record.matrix.name, label: labelOf(row), kernel: row.kernel || '', kind: kindOf(row), bytes: 1e9 * row.gb_per_s * row.seconds_median, ms: 1e3 * row.seconds_median, rate: row.gb_per_s})));
  if (!values.length) return null;
  const rate = records[0].machine.copy_gb_per_s, amounts = values.map(v => v.bytes);
  const copy = rate > 0 ? [Math.min(...amounts), Math.max(...amounts)].map(bytes => ({bytes, ms: bytes / (1e6 * rate)})) : [];
  const x = {field: 'bytes', type: 'quantitative', title: 'bytes moved', scale: logScale, axis: logAxis(values, 'bytes')};
  const y = {field: 'ms', type: 'quantitative', title: 'milliseconds', scale: logScale, axis: logAxis([...values, ...copy], 'ms')};
  return {
    description: 'Scatter plot: time of each product against the bytes that it moves', height: 340,
    layer: [
      ...(copy.length ? [{data: {values: copy}, mark: {type: 'line', color: css('--muted'), strokeDash: [4, 3]}, encoding: {x, y}}] : []),
      {data: {values}, mark: {...points(values), cursor: null},
       encoding: {x, y, color: {field: 'kind', type: 'nominal', scale: {domain: ['raw values', 'coded values', 'peer'], range: ['--after', '--before', '--bits-32'].map(css)}},
                  tooltip: tooltip(['name', 'matrix'], ['label', 'format'], ['kernel', 'kernel'], ['bytes', 'bytes', ',.0f'], ['ms', 'ms', '.3~g'], ['rate', 'GB/s', '.3~g'])}},
    ],
  };
}

function productParts() {
  const records = benchRun(), choices = measuresOf(records), table = element('div', {});
  if (choices.length && !choices.includes(productMeasure)) productMeasure = choices[0];
  const show = measure => {
    productMeasure = measure;
    table.replaceChildren(gridTable(records, measure));
  };
  show(productMeasure);
  const {machine} = records[0];
  const cached = records.some(record => record.working_set_in_cache);
  return [element('p', {class: 'remark'}, settingText(machine)),
    choices.length < 2 ? null : element('div', {class: 'tools'}, selectBox('Speedup over', choices.map(key => [key, productMeasures[key]]), productMeasure, show)),
    table, element('p', {class: 'remark'}, 'Each cell has the fastest value store of the format. Our fastest format is bold. A cell is empty if the format cannot hold the matrix, was not measured, or was wrong.',
      cached ? ' A star marks matrices whose working set fits the last-level cache.' : ''),
    chart({id: 'bench-time', title: 'Bytes against time', spec: () => bytesTimeSpec(benchRun()),
      note: () => machine.copy_gb_per_s > 0 ? `On the dashed line bytes move as fast as in a copy, ${digits(machine.copy_gb_per_s)} GB/s.` : ''})];
}
