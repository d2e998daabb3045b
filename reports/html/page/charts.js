'use strict';
// Charts: each is a figure with a specification for Vega-Lite, made anew when the choice or the colours change. They are
// drawn when they come near the window, and all of them before printing.

const chartsMissing = document.getElementById('charts-missing').textContent;
const CANVAS_FROM = 3000;  // marks; below, charts are SVG
const NAMED = 40;          // matrices whose names fit below a chart
const charts = [];
const noLoader = {load: () => Promise.reject(new Error('this page loads nothing')),
                  sanitize: () => Promise.reject(new Error('this page links nowhere'))};

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const darkColours = matchMedia('(prefers-color-scheme: dark)');

function chartConfig() {
  const text = css('--text'), muted = css('--muted'), line = css('--line');
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  return {
    background: 'transparent', font, padding: 4,
    view: {stroke: null},
    axis: {labelColor: muted, titleColor: muted, titleFontWeight: 500, gridColor: line, domainColor: line, tickColor: line,
           labelFontSize: 12, titleFontSize: 12, labelLimit: 190},
    legend: {labelColor: text, titleColor: muted, labelFontSize: 12, orient: 'top', title: null, symbolOpacity: 1},
    text: {font, fontSize: 12},
  };
}

const classColours = () => ({domain: CLASSES.map(bits => bits + ' bits'), range: CLASSES.map(bits => css('--bits-' + bits))});
const orderingColours = () => ({domain: shownOrderings().map(orderingLabel), range: [css('--before'), css('--after')]});

/// A figure: {id, title, note: () => text, spec: () => specification, or null where there is nothing to
/// draw, empty: what to say then}; a line of
/// text where the chart libraries are missing.
function chart({id, title, note, spec, empty = 'Nothing to draw for this choice.'}) {
  if (chartsMissing) return element('p', {class: 'remark'}, 'Chart left out: ' + title + '.');
  const place = element('div', {class: 'chart', 'data-chart': id});
  const remark = element('p', {class: 'remark'});
  const figure = element('figure', {id: 'figure-' + id},
    element('figcaption', {}, title), place, remark);
  const state = {id, place, figure, drawn: false, view: null, waiting: Promise.resolve()};
  state.draw = () => {
    state.drawn = true;
    state.waiting = state.waiting.then(() => drawChart(state, spec, empty)).then(() => { remark.textContent = note ? note() : ''; });
    return state.waiting;
  };
  charts.push(state);
  watcher.observe(figure);
  return figure;
}

const marksOf = spec => Math.max(...[spec, ...(spec.layer || [])].map(part => part.data ? part.data.values.length : 0));

/// A click on a mark that belongs to a matrix leads to its pattern.
function followClicks(view) {
  view.addEventListener('click', (event, item) => {
    if (!item || !item.datum || item.datum.index === undefined) return;
    showMatrix(item.datum.index);
    document.getElementById('spy-section').scrollIntoView();
  });
}

async function drawChart(state, spec, empty) {
  if (state.view) state.view.finalize();
  state.view = null;
  state.place.replaceChildren();
  const body = spec();
  if (!body) return void state.place.append(element('p', {class: 'empty'}, empty));
  const result = await vegaEmbed(state.place, {width: 'container', ...body, config: chartConfig()}, {
    mode: 'vega-lite', ast: true, actions: false, loader: noLoader, renderer: marksOf(body) > CANVAS_FROM ? 'canvas' : 'svg',
    tooltip: {theme: darkColours.matches ? 'dark' : 'light'},
  });
  state.view = result.view;
  followClicks(result.view);
}

const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const state = charts.find(c => c.figure === entry.target);
    if (entry.isIntersecting && !state.drawn) state.draw();
  }
}, {rootMargin: '400px'});

const drawAllCharts = () => Promise.all(charts.map(c => c.drawn ? c.waiting : c.draw()));
const redrawCharts = () => { for (const c of charts) if (c.drawn) c.draw(); };

darkColours.addEventListener('change', redrawCharts);
addEventListener('beforeprint', drawAllCharts);

const tooltip = (...fields) => fields.map(([field, title, format]) => ({field, title, format, type: format ? 'quantitative' : 'nominal'}));

/// Matrices per class, one bar for each strategy and ordering.
function classesSpec() {
  const values = [], labels = [];
  for (const tally of selectionSummary().classes) {
    if (!shownOrderings().includes(tally.ordering) && tally.ordering !== 'auto') continue;
    const row = tally.strategy + ', ' + orderingLabel(tally.ordering);
    const total = CLASSES.reduce((sum, bits) => sum + tally.matrices[bits], 0);
    if (total === 0) continue;
    let from = 0;
    for (const bits of CLASSES) {
      const count = tally.matrices[bits];
      values.push({row, bits: bits + ' bits', from, to: from + count, middle: from + count / 2, count, share: count / total});
      from += count;
    }
    labels.push(row);
  }
  if (!labels.length) return null;
  const y = {field: 'row', type: 'nominal', sort: labels, title: null, scale: {paddingInner: 0.25}};
  return {
    description: 'Stacked bars: number of matrices whose indices need 8, 16 or 32 bits', data: {values}, height: 30 * labels.length,
    layer: [{
      mark: {type: 'bar'},
      encoding: {
        y, x: {field: 'from', type: 'quantitative', title: 'matrices', scale: {nice: false}}, x2: {field: 'to'},
        color: {field: 'bits', type: 'nominal', scale: classColours()},
        tooltip: tooltip(['row', 'strategy'], ['bits', 'width'], ['count', 'matrices', ','], ['share', 'share', '.1%']),
      },
    }, {
      transform: [{filter: 'datum.share > 0.07'}], mark: {type: 'text', fontWeight: 600},
      encoding: {y, x: {field: 'middle', type: 'quantitative'}, text: {field: 'count', format: ','},
                 color: {condition: {test: "datum.bits === '16 bits'", value: '#1d1d1d'}, value: '#fff'}},
    }],
  };
}

/// The matrices in the 32-bit class: the share of rows in each class, one column for each matrix.
function sharesSpec(strategy, ordering) {
  const wide = selectedMatrices().map(m => ({m, entry: under(m, ordering)}))
    .filter(({entry}) => entry && entry.classes[strategy] && entry.classes[strategy].bits === 32)
    .map(({m, entry}) => ({index: m.index, name: m.name, rows: entry.classes[strategy].rows, total: m.rows || 1}));
  wide.sort((a, b) => b.rows[2] / b.total - a.rows[2] / a.total || b.rows[1] / b.total - a.rows[1] / a.total);
  const values = wide.flatMap(({index, name, rows, total}, i) => {
    let from = 0;
    return [2, 1, 0].map(k => {
      const part = {index, name, i, next: i + 1, bits: CLASSES[k] + ' bits', from, to: from + rows[k] / total, count: rows[k], share: rows[k] / total};
      from = part.to;
      return part;
    });
  }).filter(part => part.count > 0);
  if (!values.length) return null;
  return {
    description: 'Share of rows per class in each matrix that needs 32 bits', data: {values}, height: 150,
    mark: {type: 'rect', cursor: 'pointer', strokeWidth: wide.length > 60 ? 0.6 : 0},  // strokes close the seams between thin columns
    encoding: {
      x: {field: 'i', type: 'quantitative', axis: {labels: false, ticks: false, grid: false}, title: grouped(wide.length) + (wide.length === 1 ? ' matrix' : ' matrices'),
          scale: {domain: [0, wide.length], nice: false}},
      x2: {field: 'next'},
      y: {field: 'from', type: 'quantitative', title: 'rows', axis: {format: '.0%', tickCount: 4}, scale: {domain: [0, 1]}}, y2: {field: 'to'},
      color: {field: 'bits', type: 'nominal', scale: classColours(), legend: null},
      stroke: {field: 'bits', type: 'nominal', scale: classColours(), legend: null},
      tooltip: tooltip(['name', 'matrix'], ['bits', 'width'], ['count', 'rows', ','], ['share', 'share', '.1%']),
    },
  };
}

/// How many matrices go from class to class: before in rows, after in columns.
function compositionSpec(strategy, ordering) {
  const found = selectionSummary().compositions.find(c => c.strategy === strategy && c.to === ordering);
  if (!found || !found.counts.flat().some(Boolean)) return null;
  const values = CLASSES.flatMap((before, i) => CLASSES.map((after, j) => ({
    before: before + ' bits', after: after + ' bits', count: found.counts[i][j],
    change: i === j ? 'the same' : j < i ? 'narrower' : 'wider'})));
  const most = Math.max(...values.map(v => v.count));
  const axes = {
    x: {field: 'after', type: 'nominal', sort: null, title: 'after ' + ordering, axis: {orient: 'top', labelAngle: 0, domain: false, ticks: false}},
    y: {field: 'before', type: 'nominal', sort: null, title: 'before', axis: {domain: false, ticks: false}},
  };
  return {
    description: 'Heat map: matrices by class before and after reordering', data: {values}, height: 150,
    layer: [{
      mark: {type: 'rect', stroke: css('--surface'), strokeWidth: 2},
      encoding: {...axes,
        color: {field: 'count', type: 'quantitative', legend: null,
                scale: {type: 'symlog', domain: [0, most], range: [css('--heat-low'), css('--heat-high')]}},
        tooltip: tooltip(['before', 'before'], ['after', 'after'], ['count', 'matrices', ','], ['change', 'needs are'])},
    }, {
      mark: {type: 'text', fontWeight: 600, fontSize: 14},
      encoding: {...axes, text: {field: 'count', format: ','},
        color: {condition: {test: `datum.count > ${Math.expm1(Math.log1p(most) * 0.55)}`, value: css('--on-heat-high')}, value: css('--on-heat-low')}},
    }],
  };
}

const logScale = {type: 'log', nice: false};

/// An axis with ticks at powers of ten only.
function decades(values, field) {
  const logs = values.map(v => Math.log10(v[field]));
  const from = Math.ceil(Math.min(...logs)), to = Math.floor(Math.max(...logs));
  const step = Math.max(1, Math.ceil((to - from + 1) / 7));
  const ticks = [];
  for (let power = from; power <= to; power += step) ticks.push(10 ** power);
  return {format: '~s', values: ticks};
}

/// Factors from below the smallest to above the largest, 1 among them.
function factorScale(values) {
  const factors = values.map(v => v.factor);
  const domain = [0.95 * Math.min(1, ...factors), 1.05 * Math.max(1, ...factors)];
  const steps = domain[1] / domain[0] > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const ticks = [];
  for (let power = -6; power <= 6; ++power) for (const step of steps) ticks.push(step * 10 ** power);
  return {scale: {type: 'log', domain, nice: false}, axis: {values: ticks.filter(t => t >= domain[0] && t <= domain[1]), format: '~r'}};
}

/// Fainter where they are many.
const points = values => ({type: 'point', filled: true, cursor: 'pointer',
  ...(values.length > 1000 ? {size: 14, opacity: 0.4} : values.length > 2 * NAMED ? {size: 24, opacity: 0.6} : {size: 60, opacity: 0.8})});

/// Blocks of 8x8 with at least one entry, against a quantity of the matrix.
function blocksSpec(quantity, title) {
  const values = selectedMatrices().flatMap(m => shownOrderings().map(name => ({m, name, entry: under(m, name)})))
    .filter(({m, entry}) => entry && entry.blocks > 0 && m[quantity] > 0)
    .map(({m, name, entry}) => ({index: m.index, name: m.name, ordering: orderingLabel(name), x: m[quantity], nnz: m.nnz, rows: m.rows,
                                 blocks: entry.blocks, density: m.nnz / entry.blocks}));
  if (!values.length) return null;
  return {
    description: 'Scatter plot of 8x8 blocks against ' + title, data: {values}, height: 300,
    mark: points(values),
    encoding: {
      x: {field: 'x', type: 'quantitative', title, scale: logScale, axis: decades(values, 'x')},
      y: {field: 'blocks', type: 'quantitative', title: '8×8 blocks', scale: logScale, axis: decades(values, 'blocks')},
      color: {field: 'ordering', type: 'nominal', legend: null, scale: orderingColours()},
      tooltip: tooltip(['name', 'matrix'], ['ordering', 'order'], ['rows', 'rows', ','], ['nnz', 'entries', ','],
                       ['blocks', 'blocks', ','], ['density', 'entries per block', '.2f']),
    },
  };
}

const measures = {model: 'index bytes by the paper’s formulas', index: 'index bytes really held', total: 'all bytes, raw values'};

/// CSR's bytes over the format's, each matrix a point for each ordering.
function reductionSpec(format, measure) {
  const values = selectedMatrices().flatMap(m => shownOrderings().map(name => {
    const entry = under(m, name), csr = csrOf(m, name);
    const size = entry && entry.sizes[format];
    return size && csr && size[measure] > 0 && m.nnz > 0
      ? {index: m.index, name: m.name, ordering: orderingLabel(name), nnz: m.nnz, bytes: size[measure], csr: csr[measure], factor: csr[measure] / size[measure]}
      : null;
  })).filter(v => v && v.factor > 0);
  if (!values.length) return null;
  return {
    description: 'CSR bytes over ' + format + ' bytes for each matrix', height: 220,
    layer: [{
      data: {values: [{one: 1}]}, mark: {type: 'rule', color: css('--muted'), strokeDash: [4, 3]},
      encoding: {y: {field: 'one', type: 'quantitative'}},
    }, {
      data: {values}, mark: points(values),
      encoding: {
        x: {field: 'nnz', type: 'quantitative', title: 'entries', scale: logScale, axis: decades(values, 'nnz')},
        y: {field: 'factor', type: 'quantitative', title: 'times smaller than CSR', ...factorScale(values)},
        color: {field: 'ordering', type: 'nominal', legend: null, scale: orderingColours()},
        tooltip: tooltip(['name', 'matrix'], ['ordering', 'order'], ['nnz', 'entries', ','], ['bytes', 'bytes', ','],
                         ['csr', 'bytes in CSR', ','], ['factor', 'factor', '.3f']),
      },
    }],
  };
}

/// Bytes of the whole collection, as a share of what the same matrices take in CSR.
function collectionSpec() {
  const values = summary.footprints.filter(f => shownOrderings().includes(f.ordering) && f.csr_total_bytes > 0)
    .map(f => ({row: f.format, ordering: orderingLabel(f.ordering), share: f.total_bytes / f.csr_total_bytes, bytes: bytesText(f.total_bytes), matrices: f.matrices}));
  if (!values.length) return null;
  return {
    description: 'Bars: bytes of the collection in each format as a share of CSR', data: {values}, height: 18 * values.length,
    mark: {type: 'bar'},
    encoding: {
      y: {field: 'row', type: 'nominal', sort: null, title: null},
      yOffset: {field: 'ordering', type: 'nominal', sort: null},
      x: {field: 'share', type: 'quantitative', title: 'bytes, CSR in the original order = 100%', axis: {format: '.0%', tickCount: 8}},
      color: {field: 'ordering', type: 'nominal', scale: orderingColours()},
      tooltip: tooltip(['row', 'format'], ['ordering', 'order'], ['bytes', 'bytes'], ['share', 'of CSR', '.1%'], ['matrices', 'matrices', ',']),
    },
  };
}

/// Matrices side by side, those with the smallest figure of the last series first; a mark for each series. A series:
/// {label, value: matrix => figure, or null where it has none}. `y`: title, scale and axis of the figures.
function rankedSpec(series, description, y) {
  const last = series[series.length - 1];
  const ranked = selectedMatrices().map(m => ({m, key: last.value(m)})).filter(r => r.key > 0).sort((a, b) => a.key - b.key || a.m.index - b.m.index);
  const values = ranked.flatMap(({m}, rank) => series.map(s => ({index: m.index, name: m.name, nnz: m.nnz, rank: rank + 1, series: s.label, factor: s.value(m)})))
    .filter(v => v.factor > 0);
  if (!values.length) return null;
  const few = ranked.length <= NAMED;
  const count = grouped(ranked.length) + (ranked.length === 1 ? ' matrix' : ' matrices');
  const names = JSON.stringify(ranked.map(r => r.m.name.length > 22 ? r.m.name.slice(0, 21) + '…' : r.m.name));
  const x = {field: 'rank', type: few ? 'ordinal' : 'quantitative', title: count + ', by ' + last.label,
    axis: few ? {labelExpr: names + '[datum.value - 1]', labelAngle: -50, grid: false} : {labels: false, ticks: false, grid: false},
    scale: few ? undefined : {domain: [0, ranked.length + 1], nice: false}};
  const colours = ['--before', '--after', '--bits-32'].map(css);
  return {
    description, height: 240,
    layer: [{
      data: {values: [{one: 1}]}, mark: {type: 'rule', color: css('--muted'), strokeDash: [4, 3]},
      encoding: {y: {field: 'one', type: 'quantitative'}},
    }, {
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
          axis: {values: [0, 1, 3, 10, 30, 100, 300, 1000, 3000], format: ',', labelOverlap: true}},
      y: {field: 'traffic', type: 'quantitative', title: 'traffic, blocks of one column = 100', scale: {zero: false}},
      color: {field: 'block', type: 'ordinal', scale: {domain: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], scheme: 'turbo'}, legend: {title: 'block'}},
      tooltip: tooltip(['name', 'matrix'], ['nnz', 'entries', ','], ['block', 'block'], ['fill', 'zeros per 100', '.3f'], ['traffic', 'traffic', '.2f']),
    },
  };
}
