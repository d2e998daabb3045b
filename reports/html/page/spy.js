'use strict';
// One matrix: its pattern before and after each ordering, and its figures beside.

const LISTED = 300;  // matrices offered at once
const spy = {chosen: null, body: null, select: null, drawing: []};

/// The chosen matrix stays where it passes the filters; else the first that has a picture before and after reordering.
function matrixParts() {
  if (!shown.length) return [element('p', {class: 'empty'}, 'No matrix passes the filters.')];
  spy.select = element('select', {'aria-label': 'Matrix', onchange: event => showMatrix(Number(event.target.value))},
    shown.slice(0, LISTED).map(m => element('option', {value: m.index}, m.name)));
  spy.body = element('div', {id: 'spy', class: orderings.length > 2 ? 'many' : null});
  const step = by => () => {
    const at = shown.findIndex(m => m.index === spy.chosen);
    showMatrix(shown[(at + by + shown.length) % shown.length].index);
  };
  const drawn = m => shownOrderings().every(name => under(m, name) && under(m, name).spySize > 1);
  const kept = shown.find(m => m.index === spy.chosen);
  showMatrix((kept || shown.find(drawn) || shown[0]).index);
  return [element('div', {class: 'tools'}, spy.select, element('button', {type: 'button', onclick: step(-1)}, 'Previous'), element('button', {type: 'button', onclick: step(1)}, 'Next'),
      shown.length > LISTED ? element('span', {class: 'status'}, `The list has the first ${LISTED} of ${grouped(shown.length)}; a filter by name finds the others.`) : null), spy.body];
}

/// Chooses the matrix, adding it to the list where that has left it out.
function showMatrix(index) {
  if (!shown.length) return;  // the part says so
  const matrix = matrices[index];
  spy.chosen = index;
  if (![...spy.select.options].some(option => Number(option.value) === index)) spy.select.prepend(element('option', {value: index}, matrix.name));
  spy.select.value = index;
  spy.drawing = [];
  spy.body.replaceChildren(matrixHead(matrix), element('div', {class: 'spies'}, orderings.map(name => spyFigure(matrix, name))), figuresTable(matrix));
}

function redrawPictures() { if (spy.body) showMatrix(spy.chosen); }

function matrixHead(m) {
  const facts = [`${grouped(m.rows)} × ${grouped(m.cols)}`, `${grouped(m.nnz)} entries`, m.field, m.symmetry,
    m.patternSymmetric && m.rows === m.cols ? 'symmetric pattern' : null, m.explicitZeros ? grouped(m.explicitZeros) + ' explicit zeros' : null,
    m.duplicates ? grouped(m.duplicates) + ' duplicates summed' : null, m.emptyRows ? grouped(m.emptyRows) + ' empty rows' : null,
    m.field === 'pattern' ? null : grouped(m.distinct) + (m.distinct === 1 ? ' distinct value' : ' distinct values')];
  const {best} = m;
  return element('div', {class: 'matrix-head'}, element('h4', {}, m.name), element('p', {}, facts.filter(Boolean).join(', ')), best.format
    ? element('p', {}, element('b', {}, m.share === null ? bytesText(best.bytes) : (100 * m.share).toFixed(1) + '% of CSR'), ` at its smallest: ${best.format}, ${orderingLabel(best.ordering)} order, ${best.values} values, ${bytesText(best.bytes)}.`) : null,
    element('p', {class: 'remark path'}, m.path));
}

function spyFigure(matrix, name) {
  const entry = matrix.orderings[name];
  const caption = element('figcaption', {}, name === 'none' ? 'original order' : 'after ' + name);
  if (!entry || !entry.applied) return element('figure', {}, caption, element('p', {class: 'empty'}, entry ? entry.reason.replaceAll('_', ' ') : 'not analysed'));
  if (!entry.spySize) return element('figure', {}, caption, element('p', {class: 'empty'}, 'No picture was recorded.'));
  return element('figure', {}, caption, spyCanvas(entry, matrix), element('p', {class: 'remark'}, 'bandwidth ' + grouped(entry.bandwidth)));
}

/// The canvas has its size at once, and its cells when they are inflated.
function spyCanvas(entry, matrix) {
  const size = entry.spySize, scale = Math.max(1, Math.ceil(512 / size));
  const canvas = element('canvas', {width: size * scale, height: size * scale, role: 'img',
    'aria-label': `Where the entries of ${matrix.name} lie, in ${size} × ${size} cells`, 'data-cells': size});
  canvas.style.aspectRatio = String(Math.min(3, Math.max(1 / 3, matrix.cols / Math.max(1, matrix.rows))));
  spy.drawing.push(drawPicture(canvas, entry, size, scale));
  return canvas;
}

async function drawPicture(canvas, entry, size, scale) {
  const cells = await pictureCells(entry);
  const context = canvas.getContext('2d');
  context.fillStyle = css('--after');
  cells.forEach((level, i) => {
    if (level === 0) return;
    context.globalAlpha = 0.28 + 0.08 * level;
    context.fillRect((i % size) * scale, Math.floor(i / size) * scale, scale, scale);
  });
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
  return element('div', {class: 'figures'}, table);
}
