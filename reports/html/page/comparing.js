'use strict';
// Comparing measurements: which formats a chart shows, lines against a size or a number of threads, and figures of every
// matrix side by side.

const SHOWN_FORMATS = 6;  // as many lines can be told apart
const comparing = {};     // what the reader chose, by part
const firstShown = {'bench-size': '004', 'solve-size': '003', 'transfer-size': '003', 'solve-every': '004'};  // the paper whose figures a part has

const belowChart = {orient: 'bottom', columns: 2, labelLimit: 260};  // a legend

const isRight = row => row.ok === true;
const isPositive = value => Number.isFinite(value) && value > 0;  // what was not measured is null, and a quotient by it infinite
const elementBytes = {double: 8, float: 4};
const typesOf = records => ['double', 'float'].filter(type => records.some(record => record.formats.some(row => isRight(row) && row.type === type)));
/// The type has a chart of its own, so that it need not be in the name.
const seriesOf = row => specOf(row) + (row.values === 'raw' ? '' : ' ' + row.values) + ((row.preconditioner || 'none') === 'none' ? '' : ', ' + row.preconditioner);

/// The format is `own`, or a pair that ends with it (a solver that began with another).
const isOf = (row, own) => row.format === own || row.format.endsWith('>' + own);

/// The comparisons of the papers, as far as they were measured: a paper's own format and at least one beside it.
function paperComparisons(rows) {
  return (paperFormats.measured || []).map(({paper, own, beside, peers}) => ({
    key: paper, title: 'of paper ' + paper, own,
    wanted: row => row.values === 'raw' && (row.peer ? peers : isOf(row, own) || beside.includes(row.format)),
  })).filter(c => rows.some(row => row.format === c.own && c.wanted(row)) && rows.some(row => row.format !== c.own && c.wanted(row)));
}

/// CSR and the formats that are fastest in the geometric mean.
function fastestComparison(rows) {
  const means = [...groupsOf(rows, seriesOf)].map(([series, all]) => [series, geometricMean(all.map(row => row.speedup_vs_csr)) || 0]);
  const names = new Set(means.sort((a, b) => b[1] - a[1]).slice(0, SHOWN_FORMATS).map(([series]) => series));
  return {key: 'fastest', title: 'the fastest', own: null, wanted: row => names.has(seriesOf(row)) || specOf(row) === 'csr'};
}

function comparisonsOf(records) {
  const rows = records.flatMap(record => record.formats).filter(isRight);
  return [...paperComparisons(rows), fastestComparison(rows), {key: 'all', title: 'all', own: null, wanted: () => true}];
}

const comparisonOf = (part, records) => {
  const all = comparisonsOf(records);
  return all.find(c => c.key === comparing[part]) || all.find(c => c.key === firstShown[part]) || all[0];
};

/// A box to choose the formats of a part of the page, which is then made anew.
function comparisonChooser(part, records) {
  return element('div', {class: 'tools'}, selectBox('Formats', comparisonsOf(records).map(c => [c.key, c.title]), comparisonOf(part, records).key, key => {
    comparing[part] = key;
    remakeParts(sectionOf(part));
  }));
}

/// A chart for each type of values that has something to draw. A chart: {id, title, spec: type => specification, note}.
const chartsOfTypes = (types, charts) => charts.flatMap(({id, title, spec, note}) =>
  types.filter(type => spec(type)).map(type => chart({id: `${id}-${type}`, title: `${title}: ${type}`, note, spec: () => spec(type)})));
const sideBySide = charts => element('div', {class: 'panels wide'}, charts);

/// Generated matrices of one kind that differ in their size n alone, in three sizes or more: [{title, records}]. The title
/// has the parameters in which kinds of one generator differ.
function familiesOf(records) {
  const others = ({generator}) => Object.entries(generator.parameters).filter(([key]) => key !== 'n');
  const families = [...groupsOf(records.filter(record => record.matrix.generator), ({matrix}) => JSON.stringify([matrix.generator.name, others(matrix)])).values()]
    .filter(family => new Set(family.map(record => record.matrix.rows)).size >= 3);
  return [...groupsOf(families, ([first]) => first.matrix.generator.name)].flatMap(([name, alike]) => {
    const differs = ([key]) => new Set(alike.map(([first]) => first.matrix.generator.parameters[key])).size > 1;
    return alike.map(family => ({records: family, title: [name, ...others(family[0].matrix).filter(differs).map(([key, value]) => `${key}=${value}`)].join(', ')}));
  });
}
const sizeOf = record => record.matrix.generator.parameters.n;

/// The newest of the values with the same x, series and kind.
const newest = values => [...new Map(values.map(v => [JSON.stringify([v.x, v.series, v.kind]), v])).values()].sort((a, b) => a.x - b.x);

/// Scale and axis of heights: from 0 if they are close to each other, else logarithmic.
function heightAxis(heights) {
  const least = Math.min(...heights), most = Math.max(...heights);
  if (most > 10 * least) return {scale: {...logScale, domain: [least / 1.1, most * 1.1]}, axis: logAxis(heights.map(y => ({y})), 'y')};
  const power = 10 ** Math.floor(Math.log10(most)), step = [0.2, 0.5, 1, 2].map(part => part * power).find(size => most / size <= 6);
  const ticks = Array.from({length: Math.ceil(most / step) + 1}, (_, i) => Number((i * step).toPrecision(6)));
  return {scale: {domain: [0, ticks[ticks.length - 1]], nice: false}, axis: axisOf(ticks)};
}

/// A line for each series, dashed by its kind. values: {x, y, series, kind, name}; Titles: of the axes.
function linesSpec(all, xTitle, yTitle, description) {
  const values = newest(all.filter(v => v.x > 0 && isPositive(v.y)));
  if (!values.length) return null;
  const unique = key => [...new Set(values.map(v => v[key]))], kinds = unique('kind');
  const x = {field: 'x', type: 'quantitative', title: xTitle, scale: logScale, axis: axisOf(unique('x').sort((a, b) => a - b))};
  const y = {field: 'y', type: 'quantitative', title: yTitle, ...heightAxis(values.map(v => v.y))};
  const color = {field: 'series', type: 'nominal', scale: {domain: unique('series'), scheme: unique('series').length > 10 ? 'tableau20' : 'tableau10'}, legend: belowChart};
  const strokeDash = {field: 'kind', type: 'nominal', scale: {domain: kinds}, legend: {...belowChart, symbolType: 'stroke', symbolSize: 400, symbolStrokeWidth: 2}};
  return {
    description, data: {values}, height: 280,
    layer: [
      {mark: {type: 'line'}, encoding: {x, y, color, ...(kinds.length > 1 ? {strokeDash} : {})}},
      {mark: {type: 'point', filled: true, size: 36, opacity: 1},
       encoding: {x, y, color, tooltip: tooltip(['name', 'matrix'], ['series', 'format'], ['kind', 'on'], ['x', xTitle, ','], ['y', yTitle, '.4~g'])}},
    ],
  };
}

/// A point for each series at every matrix, the smallest matrix first. values: {path, name, nnz, series, y}; atOne: with a line
/// where both sides are equal.
function besideSpec(values, y, description, atOne = false) {
  const known = values.filter(v => isPositive(v.y));
  if (!known.length) return null;
  const shown = [...new Map(known.map(v => [v.path, v])).values()].sort((a, b) => a.nnz - b.nnz), names = shown.map(v => v.name), series = [...new Set(known.map(v => v.series))];
  const ranks = new Map(shown.map((v, i) => [v.path, i + 1])), ranked = known.map(v => ({...v, rank: ranks.get(v.path)}));
  return {
    description, height: 280,
    layer: [...(atOne ? [lineAtOne('y')] : []), {
      data: {values: ranked}, mark: {...points(ranked), cursor: null},
      encoding: {
        x: rankAxis(names, `${countText(names.length, 'matrix')}, by entries`),
        y: {field: 'y', type: 'quantitative', title: y, ...heightAxis([...ranked.map(v => v.y), ...(atOne ? [1] : [])])},
        color: {field: 'series', type: 'nominal', scale: {domain: series, scheme: series.length > 10 ? 'tableau20' : 'tableau10'}, legend: belowChart},
        tooltip: tooltip(['name', 'matrix'], ['series', 'format'], ['nnz', 'entries', ','], ['y', y, '.4~g']),
      },
    }],
  };
}
