'use strict';
// Figures of every matrix side by side: speeds of products and solvers, what encoding costs, and counted traffic.

/// Matrices of different folders may have one name: the path tells them apart.
const nameOf = ({matrix: {path, name, nnz}}) => ({path, name, nnz});
const matrixValues = (records, type, wanted, figure) => records.flatMap(record => record.formats.filter(row => isRight(row) && row.type === type && wanted(row))
  .map(row => ({...nameOf(record), series: seriesOf(row), y: figure(row, record)})));

// --- Products -------------------------------------------------------------------------------------------------------

/// Speedups of the paper's own format over each other one, and over the fastest of them.
function gainValues(records, type, {own, wanted}) {
  return records.flatMap(record => {
    const rows = record.formats.filter(row => isRight(row) && row.type === type && row.seconds_median > 0 && wanted(row));
    const mine = rows.filter(row => row.format === own).sort((a, b) => a.seconds_median - b.seconds_median)[0], others = rows.filter(row => row.format !== own);
    if (!mine || !others.length) return [];
    const over = (series, seconds) => ({...nameOf(record), series, y: seconds / mine.seconds_median});
    return [...others.map(row => over('over ' + seriesOf(row), row.seconds_median)),
      ...(others.length > 1 ? [over('over the fastest of them', Math.min(...others.map(row => row.seconds_median)))] : [])];
  });
}

function benchEveryParts() {
  const records = benchRun(), comparison = comparisonOf('bench-every', records), {own, wanted} = comparison;
  return [comparisonChooser('bench-every', records), sideBySide(chartsOfTypes(typesOf(records), [
    {id: 'every-speed', title: 'Gflop/s', spec: type => besideSpec(matrixValues(records, type, wanted, row => row.gflops), 'Gflop/s', 'Points: speed of products, matrix by matrix')},
    ...(own ? [{id: 'every-gain', title: `${own}: times as fast`, spec: type => besideSpec(gainValues(records, type, comparison), 'times as fast', 'Points: speedups, matrix by matrix', true)}] : []),
  ]))];
}

// --- Solvers --------------------------------------------------------------------------------------------------------

const solveRun = () => solveRuns[measured.solveRun] || [];
/// An iteration of the conjugate gradient method: a product, two inner products, three sums of vectors. A preconditioner
/// adds an inner product and a product with a diagonal.
const iterationFlops = ({preconditioner}, {matrix}) => 2 * matrix.nnz + (preconditioner === 'none' ? 10 : 13) * matrix.rows;

function solveEveryParts() {
  const records = solveRun(), {wanted} = comparisonOf('solve-every', records);
  return [comparisonChooser('solve-every', records), sideBySide(chartsOfTypes(typesOf(records), [
    {id: 'solve-speed', title: 'Gflop/s of the whole solver (paper 004, figure 8)', spec: type => besideSpec(matrixValues(records, type, wanted, (row, record) => 1e-9 * iterationFlops(row, record) * row.iterations_per_second),
      'Gflop/s', 'Points: speed of the solver, system by system')},
    {id: 'solve-cost', title: 'Encoding and transfer, in products (paper 004, section V)', spec: type => besideSpec(matrixValues(records, type, wanted, row => (row.encode_seconds + (row.transfer_seconds || 0)) / row.spmv_seconds),
      'products', 'Points: time of encoding and transfer over that of a product, system by system')},
  ]))];
}

// --- Traffic --------------------------------------------------------------------------------------------------------

const counted = row => isRight(row) && row.counted_bytes > 0;
const trafficRecords = () => benchRun().filter(record => record.formats.some(counted));

/// Predicted traffic against what was counted; on the line they are equal.
function predictedSpec(records, type) {
  const values = records.flatMap(record => record.formats.filter(row => counted(row) && row.type === type && row.predicted_bytes > 0).map(row =>
    ({name: record.matrix.name, series: seriesOf(row), nnz: record.matrix.nnz, predicted: row.predicted_bytes, counted: row.counted_bytes, ratio: row.counted_bytes / row.predicted_bytes})));
  if (!values.length) return null;
  const ends = values.flatMap(v => [v.predicted, v.counted]), line = [Math.min(...ends), Math.max(...ends)].map(bytes => ({predicted: bytes, counted: bytes}));
  const axis = (field, title) => ({field, type: 'quantitative', title, scale: logScale, axis: logAxis(line, field)}), x = axis('predicted', 'bytes predicted'), y = axis('counted', 'bytes counted');
  return {
    description: 'Scatter plot: counted traffic of a product against that predicted', height: 300,
    layer: [
      {data: {values: line}, mark: {type: 'line', color: css('--muted'), strokeDash: [4, 3]}, encoding: {x, y}},
      {data: {values}, mark: {...points(values), cursor: null}, encoding: {x, y, color: {field: 'series', type: 'nominal', scale: {scheme: 'tableau10'}, legend: belowChart},
        tooltip: tooltip(['name', 'matrix'], ['series', 'format'], ['nnz', 'entries', ','], ['predicted', 'predicted', ','], ['counted', 'counted', ','], ['ratio', 'counted over predicted', '.4f'])}},
    ],
  };
}

/// [[matrix and type, ...]]: counted bytes of each series over those predicted, or over its own arrays and vectors.
function trafficTable(records) {
  const rows = records.flatMap(record => record.formats.filter(counted).map(row => ({record, row, moved: 1e9 * row.gb_per_s * row.seconds_median})));
  return pagedTable([{title: 'matrix', left: true, text: r => r.record.matrix.name}, {title: 'format', left: true, text: r => seriesOf(r.row) + (r.row.peer ? ' (peer)' : '')}, {title: 'type', left: true, text: r => r.row.type},
    {title: 'counted', text: r => bytesText(r.row.counted_bytes)}, {title: 'per entry', text: r => fixed(r.row.counted_bytes / r.record.matrix.nnz)}, {title: 'predicted', text: r => bytesText(r.row.predicted_bytes)},
    {title: 'counted / predicted', text: r => r.row.predicted_bytes ? fixed(r.row.counted_bytes / r.row.predicted_bytes, 3) : ''}, {title: 'counted / arrays and vectors', text: r => fixed(r.row.counted_bytes / r.moved, 3)}],
    rows.map(r => ({...r, class: r.row.peer ? 'peer' : null})), 'Traffic of every matrix');
}

function trafficParts() {
  const records = trafficRecords();
  if (!records.length) return [element('p', {class: 'empty'}, 'No traffic was counted in this run.')];
  return [sideBySide(chartsOfTypes(typesOf(records), [
    {id: 'traffic-predicted', title: 'Counted against predicted', spec: type => predictedSpec(records, type), note: () => 'On the dashed line a product moves as many bytes as predicted.'},
    {id: 'traffic-every', title: 'Bytes counted per entry', spec: type => besideSpec(matrixValues(records, type, counted, (row, record) => row.counted_bytes / record.matrix.nnz), 'bytes per entry', 'Points: counted traffic, matrix by matrix')},
  ])), trafficTable(records)];
}
