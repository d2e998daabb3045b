'use strict';
// The pattern of any matrix before and after each ordering, and its figures beside.

const LISTED = 300;  // matches offered at once
const spy = {chosen: 0, body: null, select: null, search: null};

function spySection() {
  if (!matrices.length) return element('p', {class: 'empty'}, 'No matrix was analysed.');
  spy.search = element('input', {type: 'search', placeholder: 'Part of a name', 'aria-label': 'Search a matrix for its picture', oninput: listMatches});
  spy.select = element('select', {'aria-label': 'Matrix', onchange: event => showMatrix(Number(event.target.value))});
  spy.body = element('div', {id: 'spy', class: orderings.length > 2 ? 'many' : null});
  const step = by => () => {
    const options = [...spy.select.options].map(o => Number(o.value));
    const at = options.indexOf(spy.chosen);
    showMatrix(options[(at + by + options.length) % options.length] ?? spy.chosen);
  };
  const box = element('div', {},
    element('div', {class: 'tools'}, spy.search, spy.select,
      element('button', {type: 'button', onclick: step(-1)}, 'Previous'), element('button', {type: 'button', onclick: step(1)}, 'Next')),
    spy.body);
  listMatches();
  const worse = matrices.find(m => choice.other && under(m, choice.other) && under(m, 'none') && under(m, choice.other).spySize > 1);
  showMatrix((worse || matrices[0]).index);
  return box;
}

function listMatches() {
  const wanted = spy.search.value.trim().toLowerCase();
  const found = matrices.filter(m => m.name.toLowerCase().includes(wanted)).slice(0, LISTED);
  spy.select.replaceChildren(...found.map(m => element('option', {value: m.index}, m.name)));
  if (found.length && !found.some(m => m.index === spy.chosen)) showMatrix(found[0].index);
  else spy.select.value = spy.chosen;
}

/// Chooses the matrix, adding it to the list where the search has left it out.
function showMatrix(index) {
  spy.chosen = index;
  const matrix = matrices[index];
  if (![...spy.select.options].some(o => Number(o.value) === index)) {
    spy.select.prepend(element('option', {value: index}, matrix.name));
  }
  spy.select.value = index;
  if (!spy.body) return;
  spy.body.replaceChildren(matrixHead(matrix),
    element('div', {class: 'spies'}, orderings.map(name => spyFigure(matrix, name))), figuresTable(matrix));
}

function matrixHead(m) {
  const facts = [`${grouped(m.rows)} × ${grouped(m.cols)}`, `${grouped(m.nnz)} entries`, m.field, m.symmetry,
    m.patternSymmetric && m.rows === m.cols ? 'symmetric pattern' : null, m.explicitZeros ? grouped(m.explicitZeros) + ' explicit zeros' : null,
    m.duplicates ? grouped(m.duplicates) + ' duplicates summed' : null, m.emptyRows ? grouped(m.emptyRows) + ' empty rows' : null,
    m.field === 'pattern' ? null : grouped(m.distinct) + (m.distinct === 1 ? ' distinct value' : ' distinct values')];
  return element('div', {class: 'matrix-head'}, element('h3', {}, m.name), element('p', {}, facts.filter(Boolean).join(', ')),
    element('p', {class: 'remark path'}, m.path));
}

function spyFigure(matrix, name) {
  const entry = matrix.orderings[name];
  const caption = element('figcaption', {}, name === 'none' ? 'original order' : 'after ' + name);
  if (!entry || !entry.applied) return element('figure', {}, caption, element('p', {class: 'empty'}, entry ? entry.reason.replaceAll('_', ' ') : 'not analysed'));
  if (!entry.spySize) return element('figure', {}, caption, element('p', {class: 'empty'}, 'No picture was recorded.'));
  return element('figure', {}, caption, spyCanvas(entry, matrix), element('p', {class: 'remark'}, 'bandwidth ' + grouped(entry.bandwidth)));
}

function spyCanvas(entry, matrix) {
  const size = entry.spySize, scale = Math.max(1, Math.ceil(512 / size));
  const canvas = element('canvas', {width: size * scale, height: size * scale, role: 'img', 'aria-label': 'Where the entries of the matrix lie'});
  canvas.style.aspectRatio = String(Math.min(3, Math.max(1 / 3, matrix.cols / Math.max(1, matrix.rows))));
  const context = canvas.getContext('2d');
  context.fillStyle = css('--after');
  spyCells(entry.spyRuns).forEach((level, i) => {
    if (level === 0) return;
    context.globalAlpha = 0.28 + 0.08 * level;
    context.fillRect((i % size) * scale, Math.floor(i / size) * scale, scale, scale);
  });
  return canvas;
}

function figuresTable(matrix) {
  const applied = orderings.filter(name => under(matrix, name));
  const rows = [];
  const add = (title, text) => rows.push({title, text});
  add('bandwidth', o => grouped(o.bandwidth));
  add('profile', o => grouped(o.profile));
  add('largest wavefront', o => grouped(o.maxWavefront));
  for (const s of strategies) add(s + ', bits', o => o.classes[s] ? o.classes[s].bits : '');
  add('8×8 blocks', o => grouped(o.blocks));
  add('entries per block', o => o.blocks ? (matrix.nnz / o.blocks).toFixed(2) : '–');
  for (const f of formats) {
    add(f + ', raw values', (o, name) => {
      const size = o.sizes[f], csr = csrOf(matrix, name);
      return size ? bytesText(size.total) + (csr ? ' (' + percentText(size.total, csr.total) + ')' : '') : 'cannot hold it';
    });
  }
  const table = simpleTable([{title: '', left: true, text: row => row.title},
    ...applied.map(name => ({title: orderingLabel(name), text: row => row.text(under(matrix, name), name)}))], rows, 'Figures of ' + matrix.name);
  const best = matrix.best;
  return element('div', {class: 'figures'}, table, best.format
    ? element('p', {}, `Smallest: ${best.format}, ${orderingLabel(best.ordering)} order, ${best.values} values: ${bytesText(best.bytes)}.`) : null);
}
