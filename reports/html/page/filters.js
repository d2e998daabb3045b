'use strict';
// The filters: which matrices the questions are answered for. Name, sizes, kind, field and symmetry; a brush over the
// chart of all matrices fills in the same fields as the keyboard does.

const noFilter = {name: '', entriesFrom: '', entriesTo: '', shareFrom: '', shareTo: '', kind: 'all', field: 'all', symmetry: 'all'};
const filters = {...noFilter};
const ranges = ['entriesFrom', 'entriesTo', 'shareFrom', 'shareTo'];

/// Matrices that pass the filters. Every figure of the first four questions is about these.
let shown = matrices;

const kindOfMatrix = m => m.generator ? 'generated: ' + m.generator : 'file';
const isSquare = m => m.rows === m.cols;
const symmetries = {
  'all': ['any', () => true],
  'square-pattern-symmetric': ['square, symmetric pattern', m => isSquare(m) && m.patternSymmetric],
  'square-pattern-unsymmetric': ['square, unsymmetric pattern', m => isSquare(m) && !m.patternSymmetric],
  'rectangular': ['rectangular', m => !isSquare(m)],
};
for (const name of namesOf(m => m.symmetry)) symmetries['values-' + name] = [`declared ${name}`, m => m.symmetry === name];

function namesOf(get) { return [...new Set(matrices.map(get))].filter(Boolean).sort(collator.compare); }

/// "12.5k" is 12500, and null where the text is no number. Letters: k, M, G.
function numberOf(text) {
  const match = /^\s*([\d.]+(?:e\d+)?)\s*([kMG]?)\s*$/i.exec(text);
  const value = match ? Number(match[1]) * {'': 1, k: 1e3, m: 1e6, g: 1e9}[match[2].toLowerCase()] : NaN;
  return Number.isFinite(value) ? value : null;
}

/// Whether a matrix passes; `skipped` names filters that are ignored.
function passes(m, skipped = []) {
  const active = key => !skipped.includes(key) && filters[key] !== noFilter[key];
  const limit = key => active(key) ? numberOf(filters[key]) : null;
  const within = (value, from, to) => (from === null && to === null)
    || (value !== null && (from === null || value >= from) && (to === null || value <= to));
  return (!active('name') || m.name.toLowerCase().includes(filters.name.trim().toLowerCase()))
    && within(m.nnz, limit('entriesFrom'), limit('entriesTo'))
    && within(m.share === null ? null : 100 * m.share, limit('shareFrom'), limit('shareTo'))
    && (!active('kind') || kindOfMatrix(m) === filters.kind)
    && (!active('field') || m.field === filters.field)
    && (!active('symmetry') || symmetries[filters.symmetry][1](m));
}

const matricesOutsideBrush = () => matrices.filter(m => passes(m, ranges));
const isFiltered = () => Object.keys(noFilter).some(key => filters[key] !== noFilter[key]);

/// Takes new values of some filters, and makes everything anew that depends on them. A brush keeps its own chart, so that
/// the reader can drag it further.
function setFilters(changes, fromBrush = false) {
  if (Object.keys(changes).every(key => filters[key] === changes[key])) return;
  Object.assign(filters, changes);
  shown = matrices.filter(m => passes(m));
  showFilters();
  remakeAll(fromBrush);
}

const filterPanel = {fields: {}, status: null, clear: null};

/// The fields show the filters, those that are no number are marked, and the status counts.
function showFilters() {
  if (!filterPanel.status) return;
  for (const [key, field] of Object.entries(filterPanel.fields)) {
    if (field.value !== filters[key]) field.value = filters[key];
    if (ranges.includes(key)) field.setAttribute('aria-invalid', String(filters[key] !== '' && numberOf(filters[key]) === null));
  }
  filterPanel.status.textContent = isFiltered() ? `${grouped(shown.length)} of ${countText(matrices.length, 'matrix')}` : `all ${countText(matrices.length, 'matrix')}`;
  filterPanel.clear.hidden = !isFiltered();
}

function makeFilters() {
  let waiting = 0, changes = {};
  const later = change => {
    Object.assign(changes, change);
    clearTimeout(waiting);
    waiting = setTimeout(() => { setFilters(changes); changes = {}; }, 200);
  };
  const keep = (key, field) => { filterPanel.fields[key] = field; return field; };
  const text = (key, label, placeholder) => element('label', {class: 'field'}, element('span', {}, label),
    keep(key, element('input', {type: key === 'name' ? 'search' : 'text', placeholder, oninput: event => later({[key]: event.target.value})})));
  const limit = (key, label, placeholder) => keep(key, element('input', {type: 'text', title: 'a number, as 1000, 10k or 2M',
    'aria-label': label, placeholder, oninput: event => later({[key]: event.target.value})}));
  const range = (label, from, to, unit) => element('fieldset', {class: 'range'}, element('legend', {}, label),
    limit(from, `${label}, from`, 'from'), element('span', {'aria-hidden': 'true'}, 'to'), limit(to, `${label}, to`, unit));
  const select = (key, label, options) => {
    const box = selectBox(label, options, filters[key], value => setFilters({[key]: value}));
    keep(key, box.querySelector('select'));
    return options.length > 2 ? box : null;
  };
  const named = names => [['all', 'any'], ...names.map(name => [name, name])];
  filterPanel.status = element('span', {class: 'status', id: 'filter-status', role: 'status'});
  filterPanel.clear = element('button', {type: 'button', onclick: () => setFilters(noFilter)}, 'Clear filters');
  const orders = otherOrderings.length < 2 ? null
    : selectBox('Compare with', otherOrderings.map(name => [name, name]), otherOrdering, value => { otherOrdering = value; remakeAll(); });
  const symmetryOptions = Object.entries(symmetries).filter(([, [, test]]) => matrices.some(test)).map(([key, [label]]) => [key, label]);
  const panel = element('details', {id: 'filters'},
    element('summary', {}, 'Filter: ', filterPanel.status),
    element('div', {class: 'filter-fields'}, text('name', 'Name', 'part of a name'), range('Entries', 'entriesFrom', 'entriesTo', '10k, 2M'),
      range('Smallest size, % of CSR', 'shareFrom', 'shareTo', 'to'),
      select('kind', 'Kind', named(namesOf(kindOfMatrix))), select('field', 'Values', named(namesOf(m => m.field))),
      select('symmetry', 'Symmetry', symmetryOptions), orders, filterPanel.clear));
  showFilters();
  return panel;
}
