'use strict';
// Charts of bytes: formats against CSR, every matrix at its best, orderings against each other.

const ofCsrTitle = 'bytes, CSR = 100%';
const LARGEST_SHARE = 2;
/// Bars of formats that fill up with zeros would make all others too short: they end at 200%.
const shareAxis = values => ({type: 'quantitative', title: ofCsrTitle, axis: {format: '.0%', tickCount: 6},
  scale: {domain: [0, Math.min(LARGEST_SHARE, Math.max(1, ...values.map(v => v.share)))], clamp: true, nice: false}});
const cutNote = shares => shares.some(share => share > LARGEST_SHARE) ? ` Bars end at ${100 * LARGEST_SHARE}%; the table has the figures beyond.` : '';

/// Bars of each format in the original order, with raw values and with the smallest value store.
function formatsSpec() {
  const values = formatBytes(shown).flatMap(f => [['raw values', f.raw], ['smallest value store', f.least]].map(([kind, bytes]) =>
    ({row: f.format, kind, share: bytes / f.csr, bytes: bytesText(bytes), matrices: f.matrices})));
  if (!values.length) return null;
  const kinds = ['smallest value store', 'raw values'];
  return {
    description: 'Bars: bytes of all matrices in each format as a share of CSR', data: {values}, height: 13 * values.length,
    mark: {type: 'bar'},
    encoding: {
      y: {field: 'row', type: 'nominal', sort: null, title: null}, yOffset: {field: 'kind', type: 'nominal', sort: kinds},
      x: {field: 'share', ...shareAxis(values)},
      color: {field: 'kind', type: 'nominal', scale: {domain: kinds, range: [css('--after'), css('--before')]}},
      tooltip: tooltip(['row', 'format'], ['kind', 'values'], ['bytes', 'bytes'], ['share', 'of CSR', '.1%'], ['matrices', 'matrices', ',']),
    },
  };
}

/// Bars of each format in the original order and after the other: both count the same matrices.
function ordersSpec() {
  const values = orderPairs(shown).flatMap(pair => pair.map(f =>
    ({row: f.format, ordering: orderingLabel(f.ordering), share: f.raw / f.csr, bytes: bytesText(f.raw), exact: f.raw, matrices: f.matrices})));
  if (!values.length) return null;
  return {
    description: 'Bars: bytes in each format before and after reordering as a share of CSR', data: {values}, height: 13 * values.length,
    mark: {type: 'bar'},
    encoding: {
      y: {field: 'row', type: 'nominal', sort: null, title: null}, yOffset: {field: 'ordering', type: 'nominal', sort: null},
      x: {field: 'share', ...shareAxis(values)},
      color: {field: 'ordering', type: 'nominal', scale: orderingColours()},
      tooltip: tooltip(['row', 'format'], ['ordering', 'order'], ['bytes', 'bytes'], ['share', 'of CSR', '.1%'], ['matrices', 'matrices', ',']),
    },
  };
}

/// Every matrix at its smallest, against its entries. A rectangle drawn over points fills in the filters of both ranges.
function everyMatrixSpec() {
  const values = matricesOutsideBrush().filter(m => m.share !== null && m.nnz > 0)
    .map(m => ({index: m.index, name: m.name, nnz: m.nnz, share: 100 * m.share, as: `${m.best.format}, ${orderingLabel(m.best.ordering)} order, ${m.best.values} values`, bytes: bytesText(m.best.bytes)}));
  if (!values.length) return null;
  const most = Math.max(100, ...values.map(v => v.share)), least = Math.min(...values.map(v => v.nnz)), largest = Math.max(...values.map(v => v.nnz));
  return {
    description: 'Scatter plot: smallest size of each matrix, in percent of CSR, against its entries', data: {values}, height: 240,
    params: [{name: 'brush', select: {type: 'interval', encodings: ['x', 'y']}, value: brushOfFilters(least, largest, most)}],
    mark: points(values),
    encoding: {
      x: {field: 'nnz', type: 'quantitative', title: 'entries', scale: {...logScale, domain: [0.9 * least, 1.1 * largest]}, axis: logAxis(values, 'nnz')},
      y: {field: 'share', type: 'quantitative', title: '% of CSR', scale: {domain: [0, most]}, axis: {tickCount: 5}},
      color: {condition: {param: 'brush', value: css('--after')}, value: css('--muted')},
      tooltip: tooltip(['name', 'matrix'], ['nnz', 'entries', ','], ['as', 'smallest as'], ['bytes', 'bytes'], ['share', '% of CSR', '.1f']),
    },
  };
}

/// The rectangle that the filters of both ranges stand for, or undefined where they are empty.
function brushOfFilters(least, largest, most) {
  if (ranges.every(key => numberOf(filters[key]) === null)) return undefined;
  const limit = (key, otherwise) => numberOf(filters[key]) ?? otherwise;
  return {x: [Math.max(0.9 * least, limit('entriesFrom', 0)), Math.min(1.1 * largest, limit('entriesTo', Infinity))],
    y: [limit('shareFrom', 0), Math.min(most, limit('shareTo', Infinity))]};
}

/// Takes the rectangle over into the filters when the reader has stopped moving it.
function followBrush(view) {
  let waiting = 0;
  view.addSignalListener('brush', (_, brush) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => setFilters(filtersOfBrush(brush), true), 150);
  });
}

/// Three digits are enough in a field; they are rounded outwards, so that no point of the rectangle falls out.
function filtersOfBrush(brush) {
  const [from, to] = brush.nnz || [0, 0], [low, high] = brush.share || [0, 0];
  if (!(to > from) || !(high > low)) return Object.fromEntries(ranges.map(key => [key, '']));
  const round = (value, direction) => { const unit = 10 ** (Math.floor(Math.log10(Math.max(1, value))) - 2); return String(Number((direction(value / unit) * unit).toPrecision(3))); };
  return {entriesFrom: round(from, Math.floor), entriesTo: round(to, Math.ceil),
    shareFrom: String(Math.max(0, Math.floor(10 * low) / 10)), shareTo: String(Math.ceil(10 * high) / 10)};
}

const measures = {model: 'index bytes by the paper’s formulas', index: 'index bytes really held', total: 'all bytes, raw values'};

/// CSR's bytes over the format's, each matrix a point for each ordering.
function reductionSpec(format, measure) {
  const values = shown.flatMap(m => shownOrderings().map(name => {
    const entry = under(m, name), csr = csrOf(m, name);
    const size = entry && entry.sizes[format];
    return size && csr && size[measure] > 0 && m.nnz > 0
      ? {index: m.index, name: m.name, ordering: orderingLabel(name), nnz: m.nnz, bytes: size[measure], csr: csr[measure], factor: csr[measure] / size[measure]}
      : null;
  })).filter(v => v && v.factor > 0);
  if (!values.length) return null;
  return {
    description: 'CSR bytes over ' + format + ' bytes for each matrix', height: 220,
    layer: [lineAtOne('y'), {
      data: {values}, mark: points(values),
      encoding: {
        x: {field: 'nnz', type: 'quantitative', title: 'entries', scale: logScale, axis: logAxis(values, 'nnz')},
        y: {field: 'factor', type: 'quantitative', title: 'times smaller than CSR', ...factorScale(values)},
        color: {field: 'ordering', type: 'nominal', legend: null, scale: orderingColours()},
        tooltip: tooltip(['name', 'matrix'], ['ordering', 'order'], ['nnz', 'entries', ','], ['bytes', 'bytes', ','],
                         ['csr', 'bytes in CSR', ','], ['factor', 'factor', '.3f']),
      },
    }],
  };
}
