'use strict';
// Charts of the widths that indices need, and of 8x8 blocks.

/// Matrices per class, one bar for each strategy and ordering.
function classesSpec() {
  const values = [], labels = [];
  for (const tally of classTallies(shown, comparedOrders(shown))) {
    const {total} = tally, row = tally.strategy + ', ' + orderingLabel(tally.ordering);
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
  const wide = shown.map(m => ({m, entry: under(m, ordering)}))
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
  const found = composition(shown, strategy, ordering);
  if (!found.matrices) return null;
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

/// Blocks of 8x8 with at least one entry, against a quantity of the matrix.
function blocksSpec(quantity, title) {
  const values = shown.flatMap(m => shownOrderings().map(name => ({m, name, entry: under(m, name)})))
    .filter(({m, entry}) => entry && entry.blocks > 0 && m[quantity] > 0)
    .map(({m, name, entry}) => ({index: m.index, name: m.name, ordering: orderingLabel(name), x: m[quantity], nnz: m.nnz, rows: m.rows,
                                 blocks: entry.blocks, density: m.nnz / entry.blocks}));
  if (!values.length) return null;
  return {
    description: 'Scatter plot of 8x8 blocks against ' + title, data: {values}, height: 300,
    mark: points(values),
    encoding: {
      x: {field: 'x', type: 'quantitative', title, scale: logScale, axis: logAxis(values, 'x')},
      y: {field: 'blocks', type: 'quantitative', title: '8×8 blocks', scale: logScale, axis: logAxis(values, 'blocks')},
      color: {field: 'ordering', type: 'nominal', legend: null, scale: orderingColours()},
      tooltip: tooltip(['name', 'matrix'], ['ordering', 'order'], ['rows', 'rows', ','], ['nnz', 'entries', ','],
                       ['blocks', 'blocks', ','], ['density', 'entries per block', '.2f']),
    },
  };
}
