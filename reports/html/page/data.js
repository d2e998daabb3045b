'use strict';
// The records, from the arrays of page_data.cpp into objects. Orderings, strategies and formats are known by name.

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
  const [bandwidth, profile, maxWavefront, rmsWavefront, seconds, blocks, classes, sizes, spySize, spyRuns] = fields;
  return {
    applied: true, bandwidth, profile, maxWavefront, rmsWavefront, seconds, blocks, spySize, spyRuns,
    classes: byName(strategies, classes, ([bits, ...rows]) => ({bits, rows})),
    sizes: byName(formats, sizes, ([model, index, total, store, least]) => ({model, index, total, store, least})),
  };
}

function readMatrix(fields, index) {
  const [name, path, rows, cols, nnz, field, symmetry, patternSymmetric, explicitZeros, duplicates, distinct, emptyRows,
    maxRowNnz, [format, ordering, values, bytes], entries] = fields;
  return {
    index, name, path, rows, cols, nnz, field, symmetry, patternSymmetric: Boolean(patternSymmetric), explicitZeros,
    duplicates, distinct, emptyRows, maxRowNnz, best: {format, ordering, values, bytes},
    orderings: byName(orderings, entries, readOrdering),
  };
}

const collator = new Intl.Collator('en', {numeric: true});
const matrices = page.matrices.sort((a, b) => collator.compare(a[0], b[0])).map(readMatrix);

/// What the reader chose: which matrices, and which ordering to hold against the original one.
const choice = {selection: 'all', other: otherOrderings.includes('rcm') ? 'rcm' : otherOrderings[0] || null};

const selectionLabels = {'all': 'all matrices', 'square-pattern-symmetric': 'square, symmetric pattern'};
const orderingLabel = name => name === 'none' ? 'original' : name;
const shownOrderings = () => choice.other ? ['none', choice.other] : ['none'];
const selectedMatrices = () => choice.selection === 'all'
  ? matrices : matrices.filter(m => m.rows === m.cols && m.patternSymmetric);
const selectionSummary = () => summary.selections.find(s => s.name === choice.selection);

/// The ordering's figures if it was applied, else null.
const under = (matrix, ordering) => {
  const entry = matrix.orderings[ordering];
  return entry && entry.applied ? entry : null;
};
/// CSR in the original order: what every size is compared with.
const csrOf = (matrix, ordering) => {
  const entry = under(matrix, 'none') || under(matrix, ordering);
  return entry ? entry.sizes.csr : null;
};

/// The inverse of shorten_runs: cells of a spy plot, row by row, as numbers 0..9.
function spyCells(runs) {
  const cells = [];
  let last = 0;
  for (const letter of runs) {
    const code = letter.charCodeAt(0);
    let more = 1;
    if (code <= 57) last = code - 48;
    else more = code >= 97 ? code - 96 : 26 * (code - 64);
    for (; more > 0; --more) cells.push(last);
  }
  return cells;
}
