'use strict';
// The papers' tables and figures, beside those of this collection. They count all its matrices, whatever the filters.

const textBits = m => `${grouped(m[8])} / ${grouped(m[16])} / ${grouped(m[32])}`;

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

function compressedParts() {
  const c = summary.compressed_coo;
  const {coordinates, compressed, compressed_on_gpu: onGpu} = paperFormats;
  const held = names => names.filter(name => name === coordinates || c.formats.some(f => f.format === name));
  const share = f => percentText(f.smaller_than_csr, f.matrices);
  return [element('div', {class: 'panels wide'},
      chart({id: 'relative-gpu', title: `Figure 1: ${onGpu} and ${coordinates}`, spec: () => relativeSpec(held([coordinates, onGpu]))}),
      chart({id: 'relative-cpu', title: `Figure 3: ${compressed} and ${coordinates}`, spec: () => relativeSpec(held([coordinates, compressed]))})),
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
  return [element('h4', {}, `Where ${paperFormats.compressed} is not smaller than CSR`),
    element('p', {class: 'remark'}, `Of the ${grouped(c.large_square)} square matrices with at least ${grouped(c.large_entries)} entries, ${paperFormats.compressed} is smaller for ${grouped(smaller)}`
      + (c.not_smaller.length ? '. The others, and which parts of their tuples are long:' : ', so for all, as in the paper.')),
    c.not_smaller.length ? pagedTable(columns, c.not_smaller, `Matrices that ${paperFormats.compressed} does not make smaller`) : null];
}

function freireParts() {
  const other = otherOrdering;
  const {bitmap_blocks: blocks, short_indices: short} = paperFormats;
  const blocksIn = ordering => ({label: ordering === 'none' ? blocks : `${blocks} after ${ordering}`, value: modelFactor(blocks, ordering)});
  return [element('div', {class: 'panels wide'},
    chart({id: 'factors-formats', title: 'Figure 11: the original order', spec: () => factorsSpec([blocksIn('none'), {label: short, value: modelFactor(short, 'none')}])}),
    other ? chart({id: 'factors-orders', title: `Figure 12: ${blocks} reordered`, spec: () => factorsSpec([blocksIn('none'), blocksIn(other)])}) : null),
    reductionTable(matrices, 'model', shownOrderings().map(name => [name]))];
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
      element('div', {}, element('h4', {}, 'By block'), simpleTable([{title: 'columns', text: b => b[0].block}, {title: 'matrices', text: b => grouped(b.length)},
        {title: 'zeros, median', text: b => text(middle(b.map(z => z.fill_percent)), 2)}, {title: 'traffic, median', text: b => text(middle(b.map(z => z.traffic_percent)), 1)}],
        blocks, 'Blocks chosen'))),
    element('h4', {}, 'By matrix'),
    pagedTable([{title: 'matrix', left: true, text: z => z.name}, {title: 'entries', text: z => grouped(z.nnz)}, {title: 'block', text: z => z.block},
      {title: 'zeros per 100 entries', text: z => text(z.fill_percent, 3)}, {title: 'traffic', text: z => text(z.traffic_percent, 2)},
      ...(anyKnown ? [{title: 'paper: block', text: beside('block')}, {title: 'zeros', text: beside('fill_percent')}, {title: 'traffic', text: beside('traffic_percent')}] : [])],
      rows, 'Zero filling of each matrix')];
}
