'use strict';
// The page: questions in their order, each with its parts. A part: {id, title, lead: text, when: () => whether it has
// anything to show, parts: () => elements, follows: whether it is made anew when the filters or the ordering change}.

const collection = summary.collection;
const analysed = () => matrices.length > 0;

function errorsParts() {
  return [pagedTable([{title: 'matrix', left: true, text: e => e.name}, {title: 'what is wrong', left: true, text: e => e.error}], summary.errors, 'Matrices that could not be analysed')];
}

const questions = [
  {id: 'size', title: 'How small could it be?', short: 'Size', parts: [
    {id: 'answer', when: analysed, follows: true, parts: answerParts},
    {id: 'every', when: analysed, brush: true, follows: true, parts: everyMatrixParts},
    {id: 'bytes', title: 'One format for all', when: () => formats.length && analysed(), follows: true, parts: bytesParts},
  ]},
  {id: 'formats', title: 'Which format for which matrices?', short: 'Formats', parts: [
    {id: 'groups', when: analysed, follows: true, parts: groupParts,
     lead: 'For each group of matrices: its bytes of CSR if every matrix takes its best, the format that is smallest most often, and the one format that holds the whole group in the fewest bytes (original order).'},
    {id: 'matrices', title: 'Every matrix', when: analysed, parts: listParts,
     lead: 'The smallest size over all formats, row orders and value stores. A name leads to the pattern.'},
    {id: 'one-matrix', title: 'One matrix', when: analysed, follows: true, parts: matrixParts,
     lead: 'The pattern before and after reordering. A cell has a stronger colour if more of it is filled. Paper 002, figure 5.'},
    {id: 'reduction', title: 'Times smaller than CSR', when: () => formats.length && analysed(), follows: true, parts: reductionParts,
     lead: 'Each point is a matrix in one order, compared with CSR in the original order. The format is smaller above the dashed line. A click on a point shows the matrix.'},
  ]},
  {id: 'reordering', title: 'What does reordering gain?', short: 'Reordering', parts: [
    {id: 'orders', when: () => otherOrderings.length && analysed(), follows: true, parts: ordersParts},
    {id: 'order-bytes', title: 'Every ordering against the original order', when: () => otherOrderings.length && analysed(), follows: true, parts: orderBytesParts},
    {id: 'composition', title: 'Index widths before and after', when: () => otherOrderings.length && strategies.length && analysed(), follows: true, parts: compositionParts,
     lead: 'The number of matrices that go from one index width to another. Reordering helps below the diagonal and harms above it. Paper 002, figures 4 and 8.'},
  ]},
  {id: 'indices', title: 'What do indices need?', short: 'Indices', parts: [
    {id: 'index-bytes', when: () => formats.length && analysed(), follows: true, parts: indexBytesParts,
     lead: 'All bytes but those of the raw values, so that padding counts, for each entry in the original order: of all entries together, and of the median matrix. Formats that code values in their own way are left out.'},
    {id: 'classes', title: '8, 16 or 32 bits', when: () => strategies.length && analysed(), follows: true, parts: classesParts,
     lead: 'How many matrices need 8, 16 or 32 bits for their widest column index. A strategy stores the column (direct), its distance to the diagonal, or its distance to the entry before (delta). With delta-anchored, the first entry of a row counts as its distance to the diagonal. Paper 002, figures 1 to 3, 6 and 7.'},
    {id: 'shares', title: 'Rows of the matrices that need 32 bits', when: () => strategies.length && analysed(), follows: true, parts: sharesParts,
     lead: 'A matrix counts as 32-bit when a single row does. Each column is such a matrix, with the share of its rows that need 32, 16 or 8 bits. Paper 002, lower parts of figures 1 to 3, 6 and 7.'},
    {id: 'blocks', title: '8×8 blocks', when: analysed, follows: true, parts: blocksParts,
     lead: 'Blocks with at least one entry. bmSparse stores each with 16 bytes, so it needs three to four entries a block to beat CSR. Paper 002, figures 9 and 10.'},
  ]},
  {id: 'measured', title: 'What was measured?', short: 'Measured', lead: matrices.length ? 'These figures do not follow the filters.' : '', parts: [
    {id: 'bench', title: 'Products: speed against bytes', when: () => page.bench.length, parts: () => benchRecords.length ? benchParts() : benchErrorParts(),
     lead: 'Each format’s matrix-vector product, timed in turn with that of our CSR and with other libraries (peers) on the same machine in the same run. The speedup is the median of these pairs. Means are geometric, over the matrices with a right result. The cost of encoding is in products of our CSR, its median.'},
    {id: 'bench-every', title: 'Speed of every matrix', when: () => benchRecords.length, parts: benchEveryParts,
     lead: 'Products of the formats that a paper compares, or of the fastest ones. Paper 000, figures 2, 4, 5 and 6; paper 001, speedups; paper 004, figures 4 to 7.'},
    {id: 'bench-size', title: 'Products by size', when: () => benchRuns.some(run => familiesOf(run).length), parts: benchSizeParts,
     lead: 'One kind of matrix in several sizes. Paper 004, figure 2, if the kind is “density”.'},
    {id: 'bench-threads', title: 'Products by threads', when: () => threadRuns.length, parts: benchThreadsParts,
     lead: 'The same products on several numbers of threads of one machine. Means are geometric, over the matrices that were measured on all of them. Paper 000, figures 5, 7 and 8.'},
    {id: 'traffic', title: 'Traffic: predicted and counted', when: () => benchRecords.some(record => record.formats.some(counted)), parts: trafficParts,
     lead: 'Bytes that a product moves between the GPU and its memory, as a profiler counted them, beside those that the format’s model predicts. Paper 001, “Total Memory Access” and “Estimation of Total Memory Access”.'},
    {id: 'bench-grid', title: 'Products of every matrix and format', when: () => benchRecords.length, parts: productParts},
    {id: 'bench-matrix', title: 'Products of one matrix', when: () => benchRecords.length, parts: benchMatrixParts},
    {id: 'transfer', title: 'Transfers to the GPU', when: () => page.transfer.length, parts: transferParts,
     lead: 'Each format sent to the device: all arrays in one buffer, each array in a copy of its own, or in pieces that become CSR on the device while the next piece is on its way. Speedups are over CSR’s three arrays in a copy each from the same memory. “Products to pay” and “transfers to pay” are the median numbers after which encoding has paid for itself.'},
    {id: 'transfer-matrix', title: 'Transfers of one matrix', when: () => transferRecords.length, parts: transferMatrixParts},
    {id: 'transfer-size', title: 'Transfers and products by size', when: () => transferRuns.some(run => familiesOf(run).length), parts: transferSizeParts,
     lead: 'One kind of matrix in several sizes: the time of a transfer and of a product. Paper 003, figures 4 and 5.'},
    {id: 'solve', title: 'Conjugate gradients', when: () => solveRecords.length, parts: solveParts,
     lead: 'The same system solved in each format. Speedups are over CSR of the same type and preconditioner. “With encoding” is the whole time to the solution: encoding, the transfer to a device, iterating. A pair of formats begins with the first while a thread prepares the second, then switches.'},
    {id: 'solve-every', title: 'Solvers of every system', when: () => solveRecords.some(record => record.formats.some(row => row.iterations_per_second > 0)), parts: solveEveryParts,
     lead: 'The run chosen above. Paper 004, figure 8.'},
    {id: 'solve-size', title: 'Solvers by size', when: () => solveFamilies().length, parts: solveSizeParts,
     lead: 'One kind of system in several sizes, on all machines of these records. Paper 003, figures 1 to 4 and 6.'},
  ]},
  {id: 'papers', title: 'What do the papers say?', short: 'Papers', lead: 'Tables and figures of the papers beside this collection. They count all its matrices, whatever the filters.', parts: [
    {id: 'paper', title: 'Table 1 of Freire et al.', when: () => strategies.length && analysed(), parts: paperParts,
     lead: 'Matrices that need 8 / 16 / 32 bits, among the square ones with a symmetric pattern, beside those of paper 002.'},
    {id: 'freire', title: 'Figures 11 and 12 of Freire et al.', when: () => formats.includes(paperFormats.bitmap_blocks) && formats.includes(paperFormats.short_indices) && analysed(), follows: true, parts: freireParts,
     lead: 'CSR’s index bytes over the format’s, by the formulas of paper 002, for each matrix.'},
    {id: 'compressed', title: 'Figures 1 and 3 of Aliaga et al.: compressed COO', when: () => summary.compressed_coo.formats.length > 1, parts: compressedParts,
     lead: 'All bytes over those of CSR, values of 8 bytes, original order. A format is smaller than CSR below the dashed line. Matrices with other values (patterns, complex ones) are left out. Paper 000.'},
    {id: 'zero-filling', title: `The table of Nagasaka et al.: zero filling of ${paperFormats.blocked}`, when: () => summary.zero_fill.length, parts: zeroFillParts,
     lead: 'The block of columns that the traffic model chooses in single precision, the zeros that it fills in (padding of slices included), and the predicted traffic of a product as a share of that with blocks of one column. Original order. Paper 001, whose traffic was measured.'},
  ]},
  {id: 'not-analysed', title: 'What could not be analysed?', short: 'Errors', parts: [{id: 'errors', when: () => summary.errors.length, parts: errorsParts}]},
];
const sections = questions.flatMap(question => question.parts);
const has = part => Boolean(part.when());
const partsOf = section => [section.parts()].flat(2).filter(part => part !== null && part !== undefined);

function makePart(part) {
  part.body = element('div', {class: 'parts'}, partsOf(part));
  return element('div', {id: part.id, class: 'part'}, part.title ? element('h3', {}, part.title) : null, part.lead ? element('p', {class: 'lead'}, part.lead) : null, part.body);
}

function makeQuestion(question) {
  const parts = question.parts.filter(has), titled = parts.filter(part => part.title);
  const links = titled.length < 2 ? null : element('p', {class: 'contents'}, titled.map(part => element('a', {href: '#' + part.id}, part.title)));
  return element('section', {id: question.id, 'aria-labelledby': question.id + '-title'}, element('h2', {id: question.id + '-title'}, question.title),
    question.lead ? element('p', {class: 'lead'}, question.lead) : null, question.id === 'size' ? null : links, parts.map(makePart));
}

function remakeParts(part) {
  forgetCharts(part.body);
  part.body.replaceChildren(...partsOf(part));
}

/// Everything that depends on the filters or the ordering; `keepBrush`: but for the chart that is being brushed.
function remakeAll(keepBrush = false) {
  for (const part of sections) if (part.body && part.follows && !(keepBrush && part.brush)) remakeParts(part);
  list.from = 0;
  showList();
}

function makeBar(asked) {
  const links = element('nav', {class: 'links', 'aria-label': 'Questions'}, asked.map(q => element('a', {href: '#' + q.id, title: q.title}, q.short)));
  document.getElementById('bar').append(...[links, analysed() ? makeFilters() : null].filter(Boolean));
}

const sources = {
  '000': 'Aliaga, Anzt, Grützmacher, Quintana-Ortí, Tomás, Compression and load balancing for efficient sparse matrix-vector product on multicore processors and GPUs, 2021, doi 10.1002/cpe.',
  '001': 'Nagasaka, Nukada, Matsuoka, Adaptive multi-level blocking optimization for sparse matrix vector multiplication on GPU.',
  '002': 'Freire, Marichal, Martinez, Padron, Dufrechou, Ezzatti, Leveraging index compression techniques to optimize the use of co-processors, JCS&T 24(1), 2024, doi 10.24215/16666038.24.e01.',
  '003': 'Wik, Project assignment, Accelerator-based programming, Uppsala.',
  '004': 'Matam, Kothapalli, Accelerating sparse matrix vector multiplication in iterative methods using GPU.',
};

function makeFooter() {
  const {tool} = collection.records ? summary : page.bench[0] || page.transfer[0] || page.solve[0] || summary;
  const seconds = !collection.records ? '' : ` Analysis took ${collection.seconds === null ? 'an unknown time' : collection.seconds.toFixed(1) + ' s'} of work.`;
  document.getElementById('footer').append(element('p', {}, `spress ${tool.version} (${tool.commit || 'unknown commit'}).${seconds}`),
    ...Object.entries(sources).map(([number, text]) => element('p', {}, `Paper ${number}: ${text}`)));
}

function makePage() {
  document.getElementById('source').textContent = page.source;
  const asked = questions.filter(question => question.parts.some(has));
  const main = document.getElementById('sections');
  if (!asked.length) main.append(element('p', {class: 'empty'}, 'There are no records to report.'));
  makeBar(asked);
  main.append(...asked.map(makeQuestion));
  if (chartsMissing) (main.querySelector('.part') || main).append(element('p', {class: 'notice', id: 'no-charts'}, 'The charts are missing; every table is here. ' + chartsMissing));
  makeFooter();
}

makePage();
