'use strict';
// The sections of the page, in order. A section: {id, title, lead: text, when: () => whether it has anything to show,
// parts: () => elements, follows: whether its parts are made anew when the choice changes}. Charts follow by themselves.

const collection = summary.collection;
const textBits = m => `${grouped(m[8])} / ${grouped(m[16])} / ${grouped(m[32])}`;

function tile(number, label) {
  return element('div', {class: 'tile'}, element('b', {}, number), element('span', {}, label));
}

function overviewParts() {
  const best = summary.best;
  const share = percentText(best.total_bytes, best.csr_total_bytes);
  return [
    element('div', {class: 'tiles'}, tile(grouped(collection.analysed), 'matrices analysed'), tile(bytesText(collection.nnz).replace('B', '').trim(), 'entries'),
      tile(grouped(collection.square_pattern_symmetric), 'square with a symmetric pattern'),
      tile(bytesText(best.csr_total_bytes), 'in CSR'), tile(bytesText(best.total_bytes), `with the best choice for each: ${share} of CSR`),
      collection.errors ? tile(grouped(collection.errors), 'could not be analysed') : null),
    ...Object.entries(summary.measured_as).map(([format, specs]) => element('p', {class: 'remark'}, `${format} was measured as ${specs.join(' and ')}.`)),
    chart({id: 'collection', title: 'Bytes of the whole collection by format, raw values', spec: collectionSpec,
      note: () => 'A reordered bar counts the matrices that can be reordered, against CSR of the same ones.'}),
    element('div', {class: 'columns'}, element('div', {}, element('h3', {}, 'Bytes by format'), bytesTable()),
      element('div', {}, element('h3', {}, 'Which choice is best how often'), bestTable())),
  ];
}

function bytesTable() {
  const rows = [...shownFootprints(), {format: 'best of all', ordering: '', ...summary.best}];
  return simpleTable([{title: 'format', left: true, text: f => f.format}, {title: 'order', left: true, text: f => f.ordering && orderingLabel(f.ordering)},
    {title: 'matrices', text: f => grouped(f.matrices)}, {title: 'bytes', text: f => bytesText(f.total_bytes)},
    {title: 'of CSR', text: f => percentText(f.total_bytes, f.csr_total_bytes)}], rows, 'Bytes by format');
}
const shownFootprints = () => summary.footprints.filter(f => shownOrderings().includes(f.ordering));

function bestTable() {
  const rows = Object.entries(summary.best.choices).slice(0, 12).map(([name, count]) => {
    const [format, ordering, ...values] = name.split(' / ');
    return {name: [format, orderingLabel(ordering), ...values].join(' / '), count};
  });
  return simpleTable([{title: 'format / order / values', left: true, text: r => r.name}, {title: 'matrices', text: r => grouped(r.count)},
    {title: 'share', text: r => percentText(r.count, summary.best.matrices)}], rows, 'Best choices');
}

function classesTable() {
  return simpleTable([{title: 'strategy', left: true, text: t => t.strategy}, {title: 'order', left: true, text: t => orderingLabel(t.ordering)},
    ...CLASSES.map(bits => ({title: bits + ' bits', text: t => grouped(t.matrices[bits])})), {title: 'left out', text: t => grouped(t.left_out)}],
    selectionSummary().classes, 'Matrices per class');
}

function paperParts() {
  const paper = summary.paper_002;
  const ours = summary.selections.find(s => s.name === 'square-pattern-symmetric');
  const rows = paper.table_1.map(row => ({...row, ours: ours && ours.classes.find(c => c.strategy === row.strategy && c.ordering === row.ordering)}));
  return [simpleTable([{title: 'strategy', left: true, text: r => r.strategy}, {title: 'order', left: true, text: r => orderingLabel(r.ordering)},
    {title: `here (${grouped(ours ? ours.matrices : 0)})`, text: r => r.ours ? textBits(r.ours.matrices) : '–'},
    {title: `paper (${grouped(paper.matrices)})`, text: r => textBits(r.paper)},
    {title: 'from the index', text: r => r.from_index ? textBits(r.from_index) : '–'}], rows, 'Beside Table 1 of the paper (8 / 16 / 32 bits)'),
    element('p', {class: 'remark'}, paper.remark)];
}

function sharesParts() {
  const panels = shownOrderings().flatMap(ordering => strategies.map(strategy => chart({
    id: `shares-${strategy}-${ordering}`, title: ordering === 'none' ? strategy : `${strategy}, after ${ordering}`, spec: () => sharesSpec(strategy, ordering), empty: 'No matrix needs 32 bits.'})));
  return [classKey(), element('div', {class: 'panels four'}, panels)];
}

function classKey() {
  return element('p', {class: 'key'}, CLASSES.map(bits => element('span', {}, element('i', {class: 'bits-' + bits}), bits + ' bits')));
}

function orderingKey() {
  return element('p', {class: 'key'}, shownOrderings().map(name => element('span', {},
    element('i', {class: name === 'none' ? 'before' : 'after'}), name === 'none' ? 'original order' : 'after ' + name)));
}

function compositionParts() {
  const shown = [choice.other, 'auto'].filter(name => compositionsTo(name).length);
  const panels = chartsMissing ? [] : shown.flatMap(name => [element('h3', {}, name === 'auto' ? 'The order that auto takes' : 'After ' + name), compositionPanels(name)]);
  return [...panels, element('h3', {}, 'Every ordering, and auto'), compositionTable(), ...orderBytesParts(), effectsTable()];
}

const compositionsTo = ordering => selectionSummary().compositions.filter(c => c.to === ordering);

function compositionPanels(ordering) {
  const paper = Object.fromEntries(summary.paper_002.worse_after_rcm.map(w => [w.strategy, w]));
  const told = c => ordering === 'rcm' && paper[c.strategy]
    ? ` In the paper, RCM moved ${paper[c.strategy].from_8_to_16} from 8 to 16 bits and ${paper[c.strategy].from_16_to_32} from 16 to 32.` : '';
  return element('div', {class: 'panels four'}, compositionsTo(ordering).map(c => chart({
    id: `composition-${ordering === 'auto' ? 'auto-' : ''}${c.strategy}`, title: c.strategy, spec: () => compositionSpec(c.strategy, ordering),
    note: () => `${grouped(c.better)} narrower, ${grouped(c.worse)} wider.` + told(c)})));
}

function compositionTable() {
  const columns = CLASSES.flatMap((before, i) => CLASSES.map((after, j) => ({title: `${before} to ${after}`, text: c => grouped(c.counts[i][j])})));
  return simpleTable([{title: 'order', left: true, text: c => c.to}, {title: 'strategy', left: true, text: c => c.strategy}, ...columns,
    {title: 'narrower', text: c => grouped(c.better)}, {title: 'wider', text: c => grouped(c.worse)}, {title: 'left out', text: c => grouped(c.left_out)}],
    [...otherOrderings, 'auto'].flatMap(compositionsTo), 'Matrices by class before and after reordering, in bits');
}

/// Exact bytes against the original order: in what auto takes in each, and in the smallest of all formats.
function orderBytesParts() {
  const {order_bytes: rows, auto} = selectionSummary();
  const table = (key, title) => !rows.some(r => r[key].matrices) ? [] : [element('h3', {}, title), simpleTable([
    {title: 'order', left: true, text: r => r.ordering}, {title: 'matrices', text: r => grouped(r[key].matrices)},
    {title: 'smaller', text: r => grouped(r[key].smaller)}, {title: 'same', text: r => grouped(r[key].same)}, {title: 'larger', text: r => grouped(r[key].larger)},
    {title: 'bytes', text: r => bytesText(r[key].after_bytes)}, {title: 'of the original', text: r => percentText(r[key].after_bytes, r[key].before_bytes)},
    {title: 'mean after / before', text: r => r[key].mean_ratio ? r[key].mean_ratio.toFixed(3) : '–'},
    {title: 'worst', text: r => r[key].worst_ratio ? r[key].worst_ratio.toFixed(3) : '–'}, {title: 'of', left: true, text: r => r[key].worst_name}], rows, title)];
  const takes = Object.entries(auto.takes).map(([name, count]) => `${orderingLabel(name)} for ${grouped(count)}`);
  return [...table('chosen', 'Exact bytes in what auto takes in each order'),
    takes.length ? element('p', {class: 'remark'}, `auto takes ${takes.join(', ')}` + (auto.declined ? `; it declined a faster one that needs more bytes for ${grouped(auto.declined)}.` : '.')) : null,
    ...table('smallest', 'Exact bytes in the smallest of all formats')].filter(Boolean);
}

function effectsTable() {
  return element('div', {}, element('h3', {}, 'Bandwidth after reordering, all matrices'), simpleTable([
    {title: 'order', left: true, text: e => e.ordering}, {title: 'matrices', text: e => grouped(e.matrices)},
    {title: 'narrower', text: e => grouped(e.bandwidth_narrower)}, {title: 'same', text: e => grouped(e.bandwidth_same)},
    {title: 'wider', text: e => grouped(e.bandwidth_wider)}, {title: 'after / before', text: e => e.mean_bandwidth_ratio ? e.mean_bandwidth_ratio.toFixed(3) : '–'},
    {title: 'seconds', text: e => e.seconds === null ? '' : e.seconds.toFixed(2)}], summary.ordering_effects, 'Bandwidth after reordering'));
}

let reductionMeasure = 'model';

function reductionParts() {
  const others = formats.filter(f => f !== 'csr');
  const table = element('div', {}, reductionTable());
  const choose = selectBox('Compare', Object.entries(measures), reductionMeasure, value => {
    reductionMeasure = value;
    table.replaceChildren(reductionTable());
    for (const c of charts) if (c.drawn && c.id.startsWith('reduction-')) c.draw();
  });
  return [element('div', {class: 'tools'}, choose), orderingKey(),
    element('div', {class: 'panels'}, others.map(format => chart({id: 'reduction-' + format, title: format, spec: () => reductionSpec(format, reductionMeasure)}))),
    element('h3', {}, 'All matrices together'), table];
}

function reductionTable() {
  const key = {model: 'model_index_bytes', index: 'index_bytes', total: 'total_bytes'}[reductionMeasure];
  const rows = shownFootprints().filter(f => f.format !== 'csr').map(f => ({...f, r: f.reduction[key]}));
  return simpleTable([{title: 'format', left: true, text: f => f.format}, {title: 'order', left: true, text: f => orderingLabel(f.ordering)},
    {title: 'matrices', text: f => grouped(f.r.matrices)}, {title: 'mean', text: f => factorText(f.r.mean)}, {title: 'median', text: f => factorText(f.r.median)},
    {title: 'best', text: f => factorText(f.r.best)}, {title: 'of', left: true, text: f => f.r.best_name},
    {title: 'smaller than CSR', text: f => percentText(f.r.smaller_than_csr, f.matrices)}], rows, 'Reduction factors');
}

function compressedParts() {
  const c = summary.compressed_coo;
  const held = names => names.filter(name => name === 'coo' || c.formats.some(f => f.format === name));
  const share = f => percentText(f.smaller_than_csr, f.matrices);
  return [element('div', {class: 'panels wide'},
      chart({id: 'relative-gpu', title: 'Figure 1: bccoo-gpu and COO', spec: () => relativeSpec(held(['coo', 'bccoo-gpu']))}),
      chart({id: 'relative-cpu', title: 'Figure 3: bccoo and COO', spec: () => relativeSpec(held(['coo', 'bccoo']))})),
    simpleTable([{title: 'format', left: true, text: f => f.format}, {title: 'matrices', text: f => grouped(f.matrices)},
      ...['least', 'median', 'mean', 'most'].map(key => ({title: key, text: f => f[key].toFixed(3)})),
      {title: 'smaller than CSR', text: f => `${grouped(f.smaller_than_csr)} (${share(f)})`},
      {title: 'smaller than COO', text: f => percentText(f.smaller_than_coo, f.matrices)}], c.formats, 'Bytes over those of CSR'),
    element('p', {class: 'remark'}, summary.paper_000.remark), ...notSmallerParts(c)];
}

function notSmallerParts(c) {
  if (!c.large_square) return [];
  const percent = key => n => (100 * n[key]).toFixed(1) + '%';
  const columns = [{title: 'matrix', left: true, text: n => n.name}, {title: 'field', left: true, text: n => n.field}, {title: 'entries', text: n => grouped(n.nnz)},
    {title: 'of CSR', text: n => n.ratio_to_csr.toFixed(3)}, {title: 'bytes per entry', text: n => n.bytes_per_entry.toFixed(2)},
    {title: 'in CSR', text: n => n.csr_bytes_per_entry.toFixed(2)}, {title: '4-byte columns', text: percent('columns_of_4_bytes')},
    {title: '2-byte differences', text: percent('columns_of_2_bytes')}, {title: 'values in full', text: percent('values_in_full')},
    {title: 'ends of rows per entry', text: n => n.row_ends_per_entry.toFixed(2)}];
  const smaller = c.large_square - c.not_smaller.length;
  return [element('h3', {}, 'Where bccoo is not smaller than CSR'),
    element('p', {class: 'remark'}, `Of the ${grouped(c.large_square)} square matrices with at least ${grouped(c.large_entries)} entries, bccoo is smaller for ${grouped(smaller)}`
      + (c.not_smaller.length ? '. The others, and which parts of their tuples are long:' : ', so for all, as in the paper.')),
    c.not_smaller.length ? pagedTable(columns, c.not_smaller, 'Matrices that bccoo does not make smaller') : null];
}

function freireParts() {
  const other = choice.other;
  const bmsparse = ordering => ({label: ordering === 'none' ? 'bmsparse' : 'bmsparse after ' + ordering, value: modelFactor('bmsparse', ordering)});
  return [element('div', {class: 'panels wide'},
    chart({id: 'factors-formats', title: 'Figure 11: the original order', spec: () => factorsSpec([bmsparse('none'), {label: 'opt-csr', value: modelFactor('opt-csr', 'none')}])}),
    other ? chart({id: 'factors-orders', title: 'Figure 12: bmsparse reordered', spec: () => factorsSpec([bmsparse('none'), bmsparse(other)])}) : null),
    chartsMissing ? element('p', {class: 'remark'}, 'The means, medians and extremes are in the section on reduction.') : null];
}

function zeroFillParts() {
  const all = summary.zero_fill, paper = Object.fromEntries(summary.paper_001.zero_fill.map(z => [z.name, z]));
  const blocks = [...new Set(all.map(z => z.block))].sort((a, b) => a - b).map(block => all.filter(z => z.block === block));
  const middle = list => { const s = list.filter(v => v !== null).sort((a, b) => a - b); return s.length ? (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2 : null; };
  const text = (value, digits) => value === null || value === undefined ? '–' : value.toFixed(digits) + '%';
  const beside = key => z => paper[z.name] ? (key === 'block' ? paper[z.name].block : text(paper[z.name][key], 3)) : '';
  const anyKnown = all.some(z => paper[z.name]);
  const rows = [...all].sort((a, b) => Boolean(paper[b.name]) - Boolean(paper[a.name]));
  return [element('div', {class: 'columns'},
      chart({id: 'zero-fill', title: 'Zeros filled in, and what the blocks save', spec: zeroFillSpec}),
      element('div', {}, element('h3', {}, 'By block'), simpleTable([{title: 'columns', text: b => b[0].block}, {title: 'matrices', text: b => grouped(b.length)},
        {title: 'zeros, median', text: b => text(middle(b.map(z => z.fill_percent)), 2)}, {title: 'traffic, median', text: b => text(middle(b.map(z => z.traffic_percent)), 1)}],
        blocks, 'Blocks chosen'))),
    element('h3', {}, 'By matrix'),
    pagedTable([{title: 'matrix', left: true, text: z => z.name}, {title: 'entries', text: z => grouped(z.nnz)}, {title: 'block', text: z => z.block},
      {title: 'zeros per 100 entries', text: z => text(z.fill_percent, 3)}, {title: 'traffic', text: z => text(z.traffic_percent, 2)},
      ...(anyKnown ? [{title: 'paper: block', text: beside('block')}, {title: 'zeros', text: beside('fill_percent')}, {title: 'traffic', text: beside('traffic_percent')}] : [])],
      rows, 'Zero filling of each matrix')];
}

function errorsParts() {
  return [simpleTable([{title: 'matrix', left: true, text: e => e.name}, {title: 'what is wrong', left: true, text: e => e.error}], summary.errors, 'Matrices that could not be analysed')];
}

const sections = [
  {id: 'bench', title: 'Products: speed against bytes', short: 'Products', when: () => page.bench.length,
   lead: 'Each format’s product, timed in turn with that of our CSR and with other libraries’ (peers) on the same machine in the same run; the speedup is the median of these pairs. Means are geometric, over the matrices where the result was right. Encoding is told in products of our CSR, its median.',
   parts: () => benchRecords.length ? benchParts() : benchErrorParts()},
  {id: 'bench-grid', title: 'Products of every matrix and format', short: 'Every matrix', when: () => benchRecords.length, parts: productParts},
  {id: 'bench-matrix', title: 'Products of one matrix', short: 'One matrix', when: () => benchRecords.length, parts: benchMatrixParts},
  {id: 'transfer', title: 'Transfers to the GPU', short: 'Transfers', when: () => page.transfer.length,
   lead: 'Each format sent to the device: all arrays in one buffer, a copy for each array, or piece by piece and made a CSR there while the next piece is on its way. Speedups are over CSR’s three arrays in a copy each from the same memory. Encoding is paid back after so many products, or after so many transfers; medians.', parts: transferParts},
  {id: 'transfer-matrix', title: 'Transfers of one matrix', short: 'One transfer', when: () => transferRecords.length, parts: transferMatrixParts},
  {id: 'transfer-size', title: 'Transfers and products by size', short: 'By size', when: () => transferRuns.some(run => transferFamilies(run).length),
   lead: 'One kind of matrix in several sizes: how long it travels and how long a product takes. Paper 003, figures 4 and 5.', parts: transferSizeParts},
  {id: 'solve', title: 'Conjugate gradients', short: 'Solver', when: () => solveRecords.length,
   lead: 'The same system solved in each format. Speedups are over CSR of the same type and preconditioner; with encoding: of the whole time to the solution, from encoding on, on a device with the matrix’s way there. A pair of formats begins with the first while a thread prepares the second, then switches.', parts: solveParts},
  {id: 'overview', title: 'Overview', follows: true, when: () => collection.records || !page.bench.length && !page.transfer.length && !page.solve.length, parts: overviewParts},
  {id: 'classes', title: 'Index widths', when: () => strategies.length, follows: true,
   lead: 'How many matrices get by with 8, 16 or 32 bits for every column index, when the column itself is stored (direct), its distance to the diagonal, or its distance to the entry before (delta; anchored: the first entry of a row counts too, as its distance to the diagonal). Paper 002, figures 1, 2, 3, 6 and 7.',
   parts: () => [chart({id: 'classes', title: 'Matrices by the width their indices need', spec: classesSpec}), classesTable()]},
  {id: 'paper', title: 'Beside the paper’s Table 1', short: 'Table 1', when: () => strategies.length,
   lead: 'The same counts for the square matrices with a symmetric pattern, as 8 / 16 / 32 bits, beside those of Freire et al. (2024).', parts: paperParts},
  {id: 'shares', title: 'Rows of the matrices that need 32 bits', short: '32 bits', when: () => strategies.length, follows: true,
   lead: 'A matrix counts as 32-bit when a single row does. Each column is one such matrix: which share of its rows needs 32, 16 or only 8 bits. Paper 002, lower parts of figures 1, 2, 3, 6 and 7.', parts: sharesParts},
  {id: 'composition', title: 'What reordering changes', short: 'Reordering', when: () => otherOrderings.length, follows: true,
   lead: 'The number of matrices that go from one width to another. Below the diagonal reordering helps, above it it harms. Paper 002, figures 4 and 8, here for every ordering, and for the one that auto takes for each matrix: it looks at bytes, and takes none that needs more.', parts: compositionParts},
  {id: 'blocks', title: 'Blocks', when: () => matrices.length, follows: true,
   lead: 'Blocks of 8×8 that hold at least one entry, which bmSparse stores with 16 bytes each: it needs three to four entries per block to beat CSR. Paper 002, figures 9 and 10.',
   parts: () => [orderingKey(), element('div', {class: 'panels wide'}, chart({id: 'blocks-nnz', title: 'Against the number of entries', spec: () => blocksSpec('nnz', 'entries')}),
     chart({id: 'blocks-rows', title: 'Against the number of rows', spec: () => blocksSpec('rows', 'rows')}))]},
  {id: 'reduction', title: 'Smaller than CSR', short: 'Reduction', when: () => formats.length, follows: true,
   lead: 'Each point is a matrix in one order: how many times smaller than CSR in the original order. Above the dashed line the format wins; a click on a point shows the matrix’s pattern. The same for every format and measure as paper 002 has in figures 11 and 12.', parts: reductionParts},
  {id: 'freire', title: 'Figures 11 and 12 of Freire et al.', short: 'Figures', when: () => formats.includes('bmsparse') && formats.includes('opt-csr'), follows: true,
   lead: 'CSR’s index bytes over the format’s, by the formulas of paper 002, for each matrix.', parts: freireParts},
  {id: 'compressed', title: 'Compressed COO: figures 1 and 3 of Aliaga et al.', short: 'bccoo', when: () => summary.compressed_coo.formats.length > 1, follows: true,
   lead: 'All bytes over those of CSR, values of 8 bytes, original order; below the dashed line a format is smaller than CSR. Matrices with other values (patterns, complex ones) are left out. Paper 000.', parts: compressedParts},
  {id: 'zero-filling', title: 'Zero filling of amb: the table of Nagasaka et al.', short: 'amb', when: () => summary.zero_fill.length,
   lead: 'The block of columns that the traffic model chooses in single precision, the zeros that it fills in (padding of slices included), and the predicted traffic of one product, that of blocks of one column being 100. All matrices, original order. Paper 001, whose traffic was measured.', parts: zeroFillParts},
  {id: 'spy-section', title: 'Patterns', when: () => matrices.length, lead: 'Where the entries of a matrix lie, before and after reordering; the stronger a cell’s colour, the more of it is filled. Paper 002, figure 5.', parts: () => [spySection()]},
  {id: 'matrices', title: 'All matrices', short: 'Matrices', when: () => matrices.length, lead: 'Bytes are those of the original order with raw values; “Smallest” is over every format, order and value store. A name leads to its pattern.', parts: () => [listSection()]},
  {id: 'errors', title: 'Not analysed', short: 'Errors', when: () => summary.errors.length, parts: errorsParts},
];

function makeSection(section) {
  section.body = element('div', {class: 'parts'}, section.parts());
  return element('section', {id: section.id}, element('h2', {}, section.title), section.lead ? element('p', {class: 'lead'}, section.lead) : null, section.body);
}

/// Charts whose figures left the page are forgotten before new ones are made.
function remakeParts(section) {
  for (let i = charts.length - 1; i >= 0; --i) {
    if (!section.body.contains(charts[i].figure)) continue;
    watcher.unobserve(charts[i].figure);
    if (charts[i].view) charts[i].view.finalize();
    charts.splice(i, 1);
  }
  section.body.replaceChildren(...section.parts().filter(part => part !== null));
}

function choose(key, value) {
  choice[key] = value;
  for (const section of sections) if (section.body && section.follows) remakeParts(section);
  redrawCharts();
  showList();
}

function makeBar(shown) {
  const links = element('div', {class: 'links'}, shown.map(s => element('a', {href: '#' + s.id}, s.short || s.title)));
  const controls = !collection.records ? null : element('div', {class: 'controls'},
    selectBox('Matrices', summary.selections.map(s => [s.name, `${selectionLabels[s.name] || s.name} (${grouped(s.matrices)})`]), choice.selection, value => choose('selection', value)),
    otherOrderings.length > 1 ? selectBox('Ordering', otherOrderings.map(o => [o, 'compare with ' + o]), choice.other, value => choose('other', value)) : null);
  document.getElementById('bar').append(...[links, controls].filter(Boolean));
}

function makePage() {
  document.getElementById('source').textContent = page.source;
  const shown = sections.filter(s => !s.when || s.when());
  const main = document.getElementById('sections');
  if (chartsMissing) main.append(element('p', {class: 'notice', id: 'no-charts'}, 'The charts are missing; every table is here. ' + chartsMissing));
  main.append(...shown.map(makeSection));
  makeBar(shown);
  const {tool} = collection.records ? summary : page.bench[0] || page.transfer[0] || page.solve[0] || summary;
  document.getElementById('footer').append(element('p', {}, `spress ${tool.version} (${tool.commit || 'unknown commit'}). `
    + (!collection.records ? '' : `Analysis took ${collection.seconds === null ? 'an unknown time' : collection.seconds.toFixed(1) + ' s'} of work. `)
    + (!collection.records ? '' : 'Paper 002: Freire, Marichal, Martinez, Padron, Dufrechou, Ezzatti, '
    + 'Leveraging index compression techniques to optimize the use of co-processors, JCS&T 24(1), 2024, doi 10.24215/16666038.24.e01. '
    + 'Paper 000: Aliaga, Anzt, Grützmacher, Quintana-Ortí, Tomás, Compression and load balancing for efficient sparse matrix-vector product on multicore processors and GPUs, 2021, doi 10.1002/cpe. '
    + 'Paper 001: Nagasaka, Nukada, Matsuoka, Adaptive multi-level blocking optimization for sparse matrix vector multiplication on GPU.')));
}

makePage();
