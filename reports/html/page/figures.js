'use strict';
// Figures of a list of matrices. Pure functions: the page calls them with the matrices that pass the filters. For all
// matrices they equal those of summary.json.

/// Bytes of a format in the given orderings, over the matrices that it and CSR hold in every one of them. So the figures
/// of several orderings count the same matrices. `raw`, `least` (the smallest value store) and `csr` are sums.
function bytesIn(list, format, orders) {
  const pairs = list.filter(m => orders.every(order => csrOf(m, order) && under(m, order) && under(m, order).sizes[format]));
  const csr = sumOf(pairs, m => csrOf(m, orders[0]).total);
  return orders.map(ordering => ({format, ordering, matrices: pairs.length, csr,
    raw: sumOf(pairs, m => under(m, ordering).sizes[format].total), least: sumOf(pairs, m => under(m, ordering).sizes[format].least)}));
}

/// Formats in the original order, the smallest share of CSR first.
const formatBytes = list => formats.flatMap(format => bytesIn(list, format, ['none'])).filter(f => f.matrices && f.csr)
  .sort((a, b) => a.least / a.csr - b.least / b.csr);

/// Bytes of the best choice for each matrix.
function bestBytes(list) {
  const held = list.filter(m => m.share !== null);
  return {matrices: held.length, bytes: sumOf(held, m => m.best.bytes), csr: sumOf(held, m => csrOf(m, m.best.ordering).total)};
}

/// Bytes of the choices of `auto`, over the matrices whose bytes it knows exactly.
function autoBytes(list) {
  const held = list.filter(m => m.taken && m.taken.bytes !== null && csrOf(m, m.taken.ordering));
  return {matrices: held.length, bytes: sumOf(held, m => m.taken.bytes), csr: sumOf(held, m => csrOf(m, m.taken.ordering).total)};
}

/// [name, count], the most frequent first.
function tallies(list, key) {
  const counts = [...groupsOf(list, key)].map(([name, items]) => [name, items.length]);
  return counts.sort((a, b) => b[1] - a[1] || collator.compare(a[0], b[0]));
}
const bestChoices = list => tallies(list.filter(m => m.best.format), m => [m.best.format, orderingLabel(m.best.ordering), m.best.values].join(' / '));

/// The ordering that a name stands for: that which `auto` takes for the matrix, where the name is "auto".
const orderFor = (m, name) => name !== 'auto' ? name : m.taken ? m.taken.ordering : '';
const autoIsKnown = list => list.some(m => m.taken);
const classIn = (m, ordering, strategy) => {
  const entry = under(m, orderFor(m, ordering));
  return entry && entry.classes[strategy];
};

/// How many matrices need 8, 16 or 32 bits: by strategy, and in it by ordering. `orders`: those that are compared. Only
/// matrices known in each of them count.
function classTallies(list, orders) {
  return strategies.flatMap(strategy => {
    const known = list.filter(m => orders.every(order => classIn(m, order, strategy)));
    return orders.map(ordering => ({strategy, ordering, total: known.length, left: list.length - known.length,
      matrices: Object.fromEntries(CLASSES.map(bits => [bits, known.filter(m => classIn(m, ordering, strategy).bits === bits).length]))}));
  });
}

/// How many matrices go from class to class: counts[before][after].
function composition(list, strategy, to) {
  const counts = CLASSES.map(() => CLASSES.map(() => 0));
  let better = 0, worse = 0, left = 0;
  for (const m of list) {
    const before = classIn(m, 'none', strategy), after = classIn(m, to, strategy);
    if (!before || !after) { ++left; continue; }
    ++counts[CLASSES.indexOf(before.bits)][CLASSES.indexOf(after.bits)];
    better += after.bits < before.bits;
    worse += after.bits > before.bits;
  }
  return {strategy, to, counts, better, worse, left, matrices: list.length - left};
}

/// Bytes after reordering against those before, over the matrices where `bytes(matrix, ordering)` knows both.
function byteChanges(list, ordering, bytes) {
  const pairs = list.map(m => ({m, before: bytes(m, 'none'), after: bytes(m, ordering)})).filter(p => p.before !== null && p.after !== null);
  const ratios = pairs.filter(p => p.before && p.after).map(p => ({name: p.m.name, ratio: p.after / p.before}));
  const worst = ratios.reduce((most, r) => !most || r.ratio > most.ratio ? r : most, null);
  return {ordering, matrices: pairs.length, before: sumOf(pairs, p => p.before), after: sumOf(pairs, p => p.after), better: sumOf(pairs, p => Math.min(p.before, p.after)),
    smaller: pairs.filter(p => p.after < p.before).length, same: pairs.filter(p => p.after === p.before).length,
    larger: pairs.filter(p => p.after > p.before).length, mean: geometricMean(ratios.map(r => r.ratio)), worst};
}

/// Bytes of what `auto` takes in an ordering, where they are exact.
const chosenBytes = (m, ordering) => {
  if (ordering === 'auto') return m.taken ? m.taken.bytes : null;
  const entry = under(m, ordering);
  return entry ? entry.chosen : null;
};
/// Bytes of the smallest format and value store in an ordering.
const smallestBytes = (m, ordering) => {
  const entry = under(m, orderFor(m, ordering));
  const sizes = entry ? Object.values(entry.sizes).filter(Boolean).map(size => size.least) : [];
  return sizes.length ? Math.min(...sizes) : null;
};

/// The bandwidth before and after an ordering.
function bandwidthEffect(list, ordering) {
  const pairs = list.filter(m => under(m, 'none') && under(m, ordering)).map(m => [under(m, 'none').bandwidth, under(m, ordering).bandwidth, under(m, ordering).seconds]);
  const known = pairs.filter(([before, after]) => before && after);
  return {ordering, matrices: pairs.length, narrower: pairs.filter(([b, a]) => a < b).length, same: pairs.filter(([b, a]) => a === b).length,
    wider: pairs.filter(([b, a]) => a > b).length, ratio: geometricMean(known.map(([b, a]) => a / b)), seconds: sumOf(pairs, ([, , seconds]) => seconds || 0)};
}

/// CSR's bytes over the format's, matrix by matrix; measure: model, index or total. Only matrices count that the format
/// holds in each of the orderings that are compared, `orders`.
function reduction(list, format, ordering, measure, orders) {
  const known = list.filter(m => orders.every(order => under(m, order) && under(m, order).sizes[format]));
  const pairs = known.map(m => ({m, size: under(m, ordering).sizes[format], csr: csrOf(m, ordering)})).filter(p => p.csr);
  const factors = pairs.filter(p => p.size[measure] > 0).map(p => ({name: p.m.name, factor: p.csr[measure] / p.size[measure]}));
  const best = factors.reduce((most, f) => !most || f.factor > most.factor ? f : most, null);
  return {format, ordering, matrices: pairs.length, factors: factors.length, mean: factors.length ? sumOf(factors, f => f.factor) / factors.length : null,
    median: medianOf(factors.map(f => f.factor)), best, smaller: pairs.filter(p => p.size[measure] < p.csr[measure]).length};
}

/// All bytes of a format but those of the raw values, for each entry, in the original order: over all entries together,
/// and matrix by matrix. Null where the format codes values in its own way.
function indexBytes(list, format) {
  const sizeOf = m => under(m, 'none').sizes[format];
  const held = list.filter(m => m.nnz > 0 && csrOf(m, 'none') && under(m, 'none') && sizeOf(m));
  const all = held.map(m => ({name: m.name, nnz: m.nnz, bytes: sizeOf(m).total - (csrOf(m, 'none').total - csrOf(m, 'none').index)}));
  if (!held.length || held.some((m, i) => all[i].bytes < sizeOf(m).index)) return null;
  const each = all.map(e => ({name: e.name, bytes: e.bytes / e.nnz}));
  return {format, matrices: held.length, all: sumOf(all, e => e.bytes) / sumOf(all, e => e.nnz), median: medianOf(each.map(e => e.bytes)),
    most: each.reduce((worst, e) => e.bytes > worst.bytes ? e : worst)};
}

/// Ways to put matrices into groups, for "which format for which matrices".
const sizeClasses = [[1e3, 'below 1 k entries'], [1e4, '1 k to 10 k'], [1e5, '10 k to 100 k'], [1e6, '100 k to 1 M'], [1e7, '1 M to 10 M'], [Infinity, '10 M and more']];
const groupings = {
  size: ['size', m => sizeClasses.find(([limit]) => m.nnz < limit)[1], sizeClasses.map(([, name]) => name)],
  field: ['values', m => m.field],
  symmetry: ['symmetry', m => !isSquare(m) ? 'rectangular' : m.patternSymmetric ? 'square, symmetric pattern' : 'square, unsymmetric pattern'],
  kind: ['kind', m => kindOfMatrix(m)],
};

/// For each group: the best choice for every matrix, the format that is smallest most often, and the one format that holds
/// all matrices of the group in the fewest bytes.
function groupFigures(list, grouping) {
  const [, key, order] = groupings[grouping];
  const groups = [...groupsOf(list, key)].sort(([a], [b]) => order ? order.indexOf(a) - order.indexOf(b) : collator.compare(a, b));
  return groups.map(([name, members]) => ({name, matrices: members.length, best: bestBytes(members),
    often: tallies(members.filter(m => m.best.format), m => m.best.format)[0], single: singleBest(members)}));
}

/// The one format for all: the smallest of those that hold every matrix, in the original order, with the best value stores.
const singleBest = list => formatBytes(list).find(f => f.matrices === list.length) || null;
