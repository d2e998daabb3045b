'use strict';
// Reads the arrays of page_data.cpp into objects. Orderings, strategies and formats are known by name.

const page = JSON.parse(document.getElementById('data').textContent);
const summary = page.summary;
const {strategies, formats, paper_formats: paperFormats} = summary;
const orderings = summary.orderings;
const otherOrderings = orderings.filter(name => name !== 'none');
const CLASSES = [8, 16, 32];

function byName(names, list, make) {
  const result = {};
  names.forEach((name, i) => { result[name] = list[i] ? make(list[i]) : null; });
  return result;
}

function readOrdering(fields) {
  if (!Array.isArray(fields)) return {applied: false, reason: fields || 'not analysed'};
  const [bandwidth, profile, maxWavefront, rmsWavefront, seconds, blocks, classes, sizes, spySize, picture, chosen] = fields;
  return {
    applied: true, bandwidth, profile, maxWavefront, rmsWavefront, seconds, blocks, spySize, picture, chosen,
    classes: byName(strategies, classes, ([bits, ...rows]) => ({bits, rows})),
    sizes: byName(formats, sizes, ([model, index, total, store, least]) => ({model, index, total, store, least})),
  };
}

function readMatrix(fields, index) {
  const [name, path, rows, cols, nnz, field, symmetry, patternSymmetric, explicitZeros, duplicates, distinct, emptyRows,
    maxRowNnz, [format, ordering, values, bytes], entries, taken, generator] = fields;
  const matrix = {
    index, name, path, rows, cols, nnz, field, symmetry, patternSymmetric: Boolean(patternSymmetric), explicitZeros,
    duplicates, distinct, emptyRows, maxRowNnz, best: {format, ordering, values, bytes}, generator,
    taken: taken ? {ordering: taken[0], format: taken[1], values: taken[2], bytes: taken[3], declined: Boolean(taken[4])} : null,
    orderings: byName(orderings, entries, readOrdering),
  };
  const csr = csrOf(matrix, ordering);
  matrix.share = format && csr && csr.total > 0 ? bytes / csr.total : null;
  return matrix;
}

const collator = new Intl.Collator('en', {numeric: true});
const matrices = page.matrices.sort((a, b) => collator.compare(a[0], b[0])).map(readMatrix);

/// The ordering that is compared with the original one, or null.
let otherOrdering = otherOrderings.includes('rcm') ? 'rcm' : otherOrderings[0] || null;
const orderingLabel = name => name === 'none' ? 'original' : name;
const shownOrderings = () => otherOrdering ? ['none', otherOrdering] : ['none'];

/// The ordering's figures if it was applied, else null.
function under(matrix, ordering) {
  const entry = matrix.orderings[ordering];
  return entry && entry.applied ? entry : null;
}

/// CSR in the original order, the baseline of every size. Without an original order: CSR in this one.
function csrOf(matrix, ordering) {
  const original = under(matrix, 'none'), entry = under(matrix, ordering);
  return original && original.sizes.csr || entry && entry.sizes.csr || null;
}

const fromBase64 = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/// The cells of a picture, row by row, as numbers 0..9: two in each byte of a zlib stream (picture.hpp).
async function pictureCells({spySize, picture}) {
  const stream = new Blob([fromBase64(picture)]).stream().pipeThrough(new DecompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return Array.from({length: spySize * spySize}, (_, i) => i % 2 ? bytes[i >> 1] & 15 : bytes[i >> 1] >> 4);
}
