'use strict';
// The parts of the first four questions: how small, which format, what reordering gains, what indices need. All figures
// are those of the matrices that pass the filters.

// How small could it be?

/// The answer of the page: one sentence with the figure first.
function answerParts() {
  const best = bestBytes(shown), auto = autoBytes(shown), single = singleBest(shown);
  if (!best.matrices) return [element('p', {class: 'empty'}, shown.length ? 'No size is known.' : 'No matrix passes the filters.')];
  const left = shown.length - best.matrices;
  return [
    element('p', {class: 'answer'}, element('b', {}, percentText(best.bytes, best.csr) + ' of CSR'), ` ${bytesText(best.csr)} become ${bytesText(best.bytes)} `
      + `if ${best.matrices === 1 ? 'the matrix takes its' : `each of the ${countText(best.matrices, 'matrix')} takes its own`} smallest format, row order and value store.`
      + (left ? ` ${grouped(left)} without a known size left out.` : '')),
    element('div', {class: 'tiles'},
      single ? tile(percentText(single.least, single.csr), `of CSR with one format for all: ${single.format}, original order`) : null,
      auto.matrices ? tile(percentText(auto.bytes, auto.csr), `of CSR with what auto takes` + (auto.matrices < best.matrices ? ` (${countText(auto.matrices, 'matrix')})` : '')) : null,
      tile(grouped(shown.length), shown.length === 1 ? 'matrix' : 'matrices'), tile(shortNumber(sumOf(shown, m => m.nnz)), 'entries'),
      collection.errors ? tile(grouped(collection.errors), 'could not be analysed') : null),
  ];
}

const everyMatrixParts = () => chartsMissing ? [remark('Chart left out: Every matrix at its smallest.')] : [
  chart({id: 'every-matrix', title: 'Every matrix at its smallest', spec: everyMatrixSpec, whenDrawn: followBrush,
    note: () => 'Drag over points to filter the whole page; the filters above take over the same ranges. A click on a point shows the matrix.'})];

function bytesParts() {
  return [chart({id: 'formats', title: 'Bytes in the original order', spec: formatsSpec, note: () => cutNote(formatBytes(shown).map(f => f.raw / f.csr))}), bytesTable(),
    ...Object.entries(summary.measured_as).map(([format, specs]) => remark(`${format} was measured as ${specs.join(' and ')}.`)),
    remark('A format that cannot hold a matrix is compared with CSR over the others.')];
}

function bytesTable() {
  const best = bestBytes(shown);
  const rows = [{format: 'best for each', least: best.bytes, raw: null, ...best, class: 'sum'}, ...formatBytes(shown)];
  return simpleTable([{title: 'format', left: true, text: f => f.format}, {title: 'of CSR', text: f => percentText(f.least, f.csr)},
    {title: 'bytes', text: f => bytesText(f.least)}, {title: 'with raw values', text: f => bytesText(f.raw)},
    {title: 'of CSR, raw', text: f => f.raw === null ? '' : percentText(f.raw, f.csr)}, {title: 'matrices', text: f => grouped(f.matrices)}], rows, 'Bytes by format, with the smallest value store');
}

// Which format for which matrices?

let grouping = 'size';

function groupParts() {
  const table = element('div', {}, groupTable());
  const known = Object.keys(groupings).filter(key => new Set(matrices.map(groupings[key][1])).size > 1);
  return [element('div', {class: 'tools'}, known.length > 1 ? selectBox('Matrices by', known.map(key => [key, groupings[key][0]]), grouping, value => {
      grouping = value;
      table.replaceChildren(groupTable());
    }) : null), table,
    element('h4', {}, 'The smallest choice, by how often'), choicesTable()];
}

function groupTable() {
  return simpleTable([{title: groupings[grouping][0], left: true, text: g => g.name}, {title: 'best for each', text: g => percentText(g.best.bytes, g.best.csr)},
    {title: 'most often smallest', left: true, text: g => g.often ? g.often[0] : ''}, {title: 'how often', text: g => g.often ? percentText(g.often[1], g.matrices) : ''},
    {title: 'best single format', left: true, text: g => g.single ? g.single.format : ''}, {title: 'of CSR', text: g => g.single ? percentText(g.single.least, g.single.csr) : ''},
    {title: 'matrices', text: g => grouped(g.matrices)}], groupFigures(shown, grouping), 'Formats by ' + groupings[grouping][0]);
}

function choicesTable() {
  const best = bestBytes(shown);
  const rows = bestChoices(shown).slice(0, 12).map(([name, count]) => ({name, count}));
  return simpleTable([{title: 'format / order / values', left: true, text: r => r.name}, {title: 'matrices', text: r => grouped(r.count)},
    {title: 'share', text: r => percentText(r.count, best.matrices)}], rows, 'Best choices');
}

let reductionMeasure = 'total';

function reductionParts() {
  const table = element('div', {}, reductionTable(shown, reductionMeasure));
  const select = selectBox('Compare', Object.entries(measures), reductionMeasure, value => {
    reductionMeasure = value;
    table.replaceChildren(reductionTable(shown, value));
    redrawCharts(c => c.id.startsWith('reduction-'));
  });
  const panels = formats.filter(f => f !== 'csr').map(format => chart({id: 'reduction-' + format, title: format, spec: () => reductionSpec(format, reductionMeasure)}));
  return [element('div', {class: 'tools'}, select), orderingKey(), chartsMissing ? null : element('div', {class: 'panels'}, panels),
    element('h4', {}, 'All matrices together'), table, otherOrdering ? remark('Both orders count the matrices that are known in both.') : null];
}

/// `groups`: lists of orderings; those of one list are compared over the same matrices.
function reductionTable(list, measure, groups = [shownOrderings()]) {
  const rows = formats.filter(f => f !== 'csr').flatMap(format => groups.flatMap(orders => orders.map(ordering => reduction(list, format, ordering, measure, orders)))).filter(r => r.matrices);
  return simpleTable([{title: 'format', left: true, text: r => r.format}, {title: 'order', left: true, text: r => orderingLabel(r.ordering)},
    {title: 'mean', text: r => factorText(r.mean)}, {title: 'median', text: r => factorText(r.median)},
    {title: 'best', text: r => r.best ? factorText(r.best.factor) : '–'}, {title: 'of', left: true, text: r => r.best ? r.best.name : ''},
    {title: 'smaller than CSR', text: r => percentText(r.smaller, r.matrices)}, {title: 'matrices', text: r => grouped(r.matrices)}], rows, 'Times smaller than CSR, ' + measures[measure]);
}

// What does reordering gain?

/// Each format in the original order and the other, over the matrices known in both.
const orderPairs = list => formats.map(format => bytesIn(list, format, shownOrderings())).filter(pair => pair[0].matrices && pair[0].csr)
  .sort((a, b) => a[0].raw / a[0].csr - b[0].raw / b[0].csr);

function ordersParts() {
  const pairs = orderPairs(shown);
  const table = simpleTable([{title: 'format', left: true, text: ([before]) => before.format}, {title: 'original', text: ([b]) => percentText(b.raw, b.csr)},
    {title: otherOrdering, text: ([, a]) => percentText(a.raw, a.csr)}, {title: 'after / before', text: ([b, a]) => b.raw ? (a.raw / b.raw).toFixed(3) : '–'},
    {title: 'matrices', text: ([b]) => grouped(b.matrices)}], pairs, 'Bytes before and after reordering, of CSR in the original order');
  const gain = byteChanges(shown, otherOrdering, smallestBytes);
  return [gain.matrices ? element('p', {class: 'answer'}, element('b', {}, signedPercent(gain.after / gain.before - 1)),
      ` bytes in the smallest format after ${otherOrdering}: smaller for ${grouped(gain.smaller)}, larger for ${grouped(gain.larger)} of ${countText(gain.matrices, 'matrix')}. `
        + `With the better of both orders for each: ${signedPercent(gain.better / gain.before - 1)}.`) : null,
    chart({id: 'orders', title: 'Bytes by format before and after ' + otherOrdering + ', raw values', spec: ordersSpec,
      note: () => 'Both bars count the matrices that are known in both orders.' + cutNote(pairs.flatMap(pair => pair.map(f => f.raw / f.csr)))}), table];
}

const signedPercent = change => (change > 0 ? '+' : change < 0 ? '−' : '') + Math.abs(100 * change).toFixed(1) + '%';

/// Bytes in every ordering against the original one: in the smallest of all formats, and in what auto takes.
function orderBytesParts() {
  const names = [...otherOrderings, ...(autoIsKnown(shown) ? ['auto'] : [])];
  const table = (bytes, title) => {
    const rows = names.map(name => byteChanges(shown, name, bytes)).filter(r => r.matrices);
    return !rows.length ? [] : [element('h4', {}, title), simpleTable([{title: 'order', left: true, text: r => r.ordering},
      {title: 'bytes', text: r => signedPercent(r.after / r.before - 1)}, {title: 'smaller', text: r => grouped(r.smaller)},
      {title: 'same', text: r => grouped(r.same)}, {title: 'larger', text: r => grouped(r.larger)}, {title: 'matrices', text: r => grouped(r.matrices)},
      {title: 'mean after / before', text: r => r.mean ? r.mean.toFixed(3) : '–'}, {title: 'worst', text: r => r.worst ? r.worst.ratio.toFixed(3) : '–'},
      {title: 'of', left: true, text: r => r.worst ? r.worst.name : ''}], rows, title)];
  };
  const takes = tallies(shown.filter(m => m.taken), m => orderingLabel(m.taken.ordering)).map(([name, count]) => `${name} for ${grouped(count)}`);
  const declined = shown.filter(m => m.taken && m.taken.declined).length;
  return [...table(smallestBytes, 'In the smallest of all formats'), ...table(chosenBytes, 'In the format that auto takes in each order'),
    takes.length ? remark(`auto takes these orders: ${takes.join(', ')}.` + (declined ? ` It declined a faster one that needs more bytes for ${grouped(declined)}.` : '')) : null,
    ...bandwidthParts()];
}

function bandwidthParts() {
  return [element('h4', {}, 'Bandwidth'), simpleTable([{title: 'order', left: true, text: e => e.ordering}, {title: 'after / before', text: e => e.ratio ? e.ratio.toFixed(3) : '–'},
    {title: 'narrower', text: e => grouped(e.narrower)}, {title: 'same', text: e => grouped(e.same)}, {title: 'wider', text: e => grouped(e.wider)},
    {title: 'matrices', text: e => grouped(e.matrices)}, {title: 'seconds', text: e => e.seconds.toFixed(2)}],
    otherOrderings.map(name => bandwidthEffect(shown, name)), 'Bandwidth after reordering')];
}

function compositionParts() {
  const names = [otherOrdering, ...(autoIsKnown(shown) ? ['auto'] : [])];
  const panels = chartsMissing ? [] : names.flatMap(name => [element('h4', {}, name === 'auto' ? 'In the order that auto takes' : 'After ' + name),
    element('div', {class: 'panels four'}, strategies.map(strategy => chart({id: `composition-${name === 'auto' ? 'auto-' : ''}${strategy}`, title: strategy,
      spec: () => compositionSpec(strategy, name), note: () => { const c = composition(shown, strategy, name); return `${grouped(c.better)} narrower, ${grouped(c.worse)} wider.` + paperMoves(c); }})))]);
  const columns = CLASSES.flatMap((before, i) => CLASSES.map((after, j) => ({title: `${before} to ${after}`, text: c => grouped(c.counts[i][j])})));
  const rows = [...otherOrderings, ...names.slice(1)].flatMap(name => strategies.map(strategy => composition(shown, strategy, name))).filter(c => c.matrices);
  return [...panels, simpleTable([{title: 'order', left: true, text: c => c.to}, {title: 'strategy', left: true, text: c => c.strategy}, {title: 'narrower', text: c => grouped(c.better)},
    {title: 'wider', text: c => grouped(c.worse)}, ...columns, {title: 'matrices', text: c => grouped(c.matrices)}], rows, 'Matrices by class before and after reordering, in bits')];
}

function paperMoves({to, strategy}) {
  const paper = to === 'rcm' && summary.paper_002.worse_after_rcm.find(w => w.strategy === strategy);
  return paper ? ` In paper 002, RCM moved ${paper.from_8_to_16} from 8 to 16 bits and ${paper.from_16_to_32} from 16 to 32.` : '';
}

// What do indices need?

/// Orders whose classes are compared over the same matrices.
const comparedOrders = list => [...shownOrderings(), ...(autoIsKnown(list) ? ['auto'] : [])];

function indexBytesParts() {
  const rows = formats.map(format => indexBytes(shown, format)).filter(Boolean).sort((a, b) => a.all - b.all);
  return [simpleTable([{title: 'format', left: true, text: r => r.format}, {title: 'bytes an entry', text: r => r.all.toFixed(2)},
    {title: 'median', text: r => r.median.toFixed(2)}, {title: 'most', text: r => r.most.bytes.toFixed(2)},
    {title: 'of', left: true, text: r => r.most.name}, {title: 'matrices', text: r => grouped(r.matrices)}], rows, 'Bytes of indices for each entry')];
}

function classesParts() {
  const rows = classTallies(shown, comparedOrders(shown));
  return [chart({id: 'classes', title: 'Matrices by the width their indices need', spec: classesSpec, note: () => 'All bars of a strategy count the matrices that are known in each of these orders.'}),
    simpleTable([{title: 'strategy', left: true, text: t => t.strategy}, {title: 'order', left: true, text: t => orderingLabel(t.ordering)},
      ...CLASSES.map(bits => ({title: bits + ' bits', text: t => grouped(t.matrices[bits])})), {title: 'left out', text: t => grouped(t.left)}], rows, 'Matrices per class')];
}

function sharesParts() {
  if (chartsMissing) return [remark('Charts left out: shares of rows by width.')];
  const wide = m => shownOrderings().some(order => strategies.some(strategy => classIn(m, order, strategy) && classIn(m, order, strategy).bits === 32));
  if (!shown.some(wide)) return [element('p', {class: 'empty'}, 'No matrix needs 32 bits.')];
  const panels = shownOrderings().flatMap(ordering => strategies.map(strategy => chart({id: `shares-${strategy}-${ordering}`,
    title: ordering === 'none' ? strategy : `${strategy}, after ${ordering}`, spec: () => sharesSpec(strategy, ordering), empty: 'No matrix needs 32 bits.'})));
  return [classKey(), element('div', {class: 'panels four'}, panels)];
}

function blocksParts() {
  if (chartsMissing) return [remark('Charts left out: 8×8 blocks against entries and rows.')];
  return [orderingKey(), element('div', {class: 'panels wide'}, chart({id: 'blocks-nnz', title: 'Against the number of entries', spec: () => blocksSpec('nnz', 'entries')}),
    chart({id: 'blocks-rows', title: 'Against the number of rows', spec: () => blocksSpec('rows', 'rows')}))];
}

const swatches = list => element('p', {class: 'swatches'}, list.map(([colour, label]) => element('span', {}, element('i', {class: colour}), label)));
const classKey = () => swatches(CLASSES.map(bits => ['bits-' + bits, bits + ' bits']));
const orderingKey = () => chartsMissing ? null : swatches(shownOrderings().map(name => name === 'none' ? ['before', 'original order'] : ['after', 'after ' + name]));
