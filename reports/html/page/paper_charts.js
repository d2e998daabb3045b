'use strict';
// Charts as the papers have them, over all matrices of the collection.

/// Places of matrices side by side, 1 for the first; their names below where they are few.
function rankAxis(names, title) {
  const few = names.length <= NAMED, short = names.map(name => name.length > 22 ? name.slice(0, 21) + '…' : name);
  return {field: 'rank', type: few ? 'ordinal' : 'quantitative', title,
    axis: few ? {labelExpr: JSON.stringify(short) + '[datum.value - 1]', labelAngle: -50, grid: false} : {labels: false, ticks: false, grid: false},
    scale: few ? undefined : {domain: [0, names.length + 1], nice: false}};
}

/// Matrices side by side, those with the smallest figure of the last series first; a mark for each series. A series:
/// {label, value: matrix => figure, or null where it has none}. `y`: title, scale and axis of the figures.
function rankedSpec(series, description, y) {
  const last = series[series.length - 1];
  const ranked = matrices.map(m => ({m, key: last.value(m)})).filter(r => r.key > 0).sort((a, b) => a.key - b.key || a.m.index - b.m.index);
  const values = ranked.flatMap(({m}, rank) => series.map(s => ({index: m.index, name: m.name, nnz: m.nnz, rank: rank + 1, series: s.label, factor: s.value(m)})))
    .filter(v => v.factor > 0);
  if (!values.length) return null;
  const x = rankAxis(ranked.map(r => r.m.name), `${countText(ranked.length, 'matrix')}, by ${last.label}`);
  const colours = ['--before', '--after', '--bits-32'].map(css);
  return {
    description, height: 240,
    layer: [lineAtOne('y'), {
      data: {values}, mark: points(values),
      encoding: {
        x, y: {field: 'factor', type: 'quantitative', ...y(values)},
        color: {field: 'series', type: 'nominal', scale: {domain: series.map(s => s.label), range: colours.slice(0, series.length)}},
        tooltip: tooltip(['name', 'matrix'], ['series', 'format'], ['nnz', 'entries', ','], ['factor', 'figure', '.3f']),
      },
    }],
  };
}

/// Bytes over those of CSR in the original order. The paper's figures take values of 8 bytes.
const relativeTo = format => m => {
  const entry = under(m, 'none'), csr = entry && entry.sizes.csr, size = entry && entry.sizes[format];
  return size && csr && csr.total - csr.index === 8 * m.nnz ? size.total / csr.total : null;
};
const relativeSpec = names => rankedSpec(names.map(label => ({label, value: relativeTo(label)})), 'Bytes over those of CSR, matrix by matrix',
  () => ({title: 'bytes over CSR’s'}));

/// Index bytes of CSR over those of a format, both by the formulas of paper 002.
const modelFactor = (format, ordering) => m => {
  const entry = under(m, ordering), csr = csrOf(m, ordering), size = entry && entry.sizes[format];
  return size && csr && size.model > 0 ? csr.model / size.model : null;
};
const factorsSpec = series => rankedSpec(series, 'CSR index bytes over the format’s, matrix by matrix',
  values => ({title: 'times smaller than CSR', ...factorScale(values)}));

/// What blocks of columns fill with zeros, and what that saves.
function zeroFillSpec() {
  const values = summary.zero_fill.filter(z => z.traffic_percent !== null)
    .map(z => ({name: z.name, block: z.block, nnz: z.nnz, fill: z.fill_percent, traffic: z.traffic_percent}));
  if (!values.length) return null;
  return {
    description: 'Scatter plot: zeros filled in against predicted traffic', data: {values}, height: 260,
    mark: {...points(values), cursor: null},
    encoding: {
      x: {field: 'fill', type: 'quantitative', title: 'zeros per 100 entries, padding included', scale: {type: 'symlog'},
          axis: axisOf([0, 1, 3, 10, 30, 100, 300, 1000, 3000])},
      y: {field: 'traffic', type: 'quantitative', title: 'traffic, blocks of one column = 100', scale: {zero: false}},
      color: {field: 'block', type: 'ordinal', scale: {domain: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], scheme: 'turbo'}, legend: {title: 'block'}},
      tooltip: tooltip(['name', 'matrix'], ['nnz', 'entries', ','], ['block', 'block'], ['fill', 'zeros per 100', '.3f'], ['traffic', 'traffic', '.2f']),
    },
  };
}
