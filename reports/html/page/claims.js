'use strict';
// What is claimed, beside what was measured: one table of all claims, then one for each with every matrix of every run.

const claimValue = (claim, value) => typeof value !== 'number' ? '–'
  : claim.unit === 'x' ? value.toFixed(2) + '×' : claim.unit === '%' ? value.toFixed(1) + '%' : String(Number(value.toPrecision(4)));
const claimAsked = claim => (claim.at_least ? '≥ ' : '≤ ') + claimValue(claim, claim.target);
const claimOutcome = claim => claim.outcomes.find(outcome => outcome.run === claim.run);
const claimClass = verdict => verdict === 'missed' ? 'wrong' : verdict === 'met' ? null : 'peer';

function claimsParts() {
  const count = verdict => page.claims.filter(claim => claim.verdict === verdict).length;
  const measuredClaims = page.claims.filter(claim => claim.rows.length);
  return [element('div', {class: 'tiles'}, tile(grouped(count('met')), 'met'), tile(grouped(count('missed')), 'missed'), tile(grouped(count('not measured')), 'not measured')),
    ...[...groupsOf(page.claims, claim => claim.group)].flatMap(([group, claims]) => [element('h4', {}, group), claimsTable(group, claims)]),
    ...vendorParts(), ...measuredClaims.flatMap(claimParts)];
}

/// The fastest of ours over each product of the vendors, in every run that timed any; single precision apart.
function vendorParts() {
  const timed = benchRuns.flatMap(run => [...groupsOf(run.filter(record => record.formats.some(isRight(true))), typeOf)]);
  return timed.flatMap(([type, records]) => [element('h4', {}, `Our fastest product over each of theirs: ${settingText(records[0].machine)}, ${type}`), vendorTable(records),
    element('p', {class: 'remark'}, `Commit ${records[0].machine.commit}. With raw values or coded ones, whichever are faster; theirs on our CSR.`)]);
}

const typeOf = record => record.formats[0].type;
const isRight = peer => row => Boolean(row.peer) === peer && row.ok === true && row.speedup_vs_csr > 0;
const fastestOf = rows => rows.reduce((best, row) => !best || row.speedup_vs_csr > best.speedup_vs_csr ? row : best, null);

function vendorTable(run) {
  const lines = run.map(record => {
    const rows = record.formats.filter(row => row.type === typeOf(record));
    return {name: record.matrix.name, best: fastestOf(rows.filter(isRight(false))), theirs: rows.filter(isRight(true))};
  }).filter(line => line.best && line.theirs.length);
  const peers = [...new Set(lines.flatMap(line => line.theirs.map(row => row.format)))];
  const over = (line, peer) => {
    const row = line.theirs.find(r => r.format === peer);
    return row ? line.best.speedup_vs_csr / row.speedup_vs_csr : null;
  };
  const all = line => line.best.speedup_vs_csr / fastestOf(line.theirs).speedup_vs_csr;
  const rows = lines.map(line => ({name: line.name, best: labelOf(line.best), over: Object.fromEntries(peers.map(peer => [peer, over(line, peer)])), all: all(line)}));
  const mean = pick => geometricMean(rows.map(pick));
  const sum = {name: `geometric mean of ${grouped(rows.length)}`, best: '', over: Object.fromEntries(peers.map(peer => [peer, mean(row => row.over[peer])])), all: mean(row => row.all), class: 'sum'};
  return simpleTable([{title: 'matrix', left: true, text: r => r.name}, {title: 'ours', left: true, text: r => r.best},
    ...peers.map(peer => ({title: peer, text: r => factorText(r.over[peer])})), {title: 'the best of them', text: r => factorText(r.all)}], [...rows, sum], 'Our fastest product over each of theirs');
}

function claimsTable(group, claims) {
  const rows = claims.map(claim => ({...claim, class: claimClass(claim.verdict)}));
  const several = claim => claim.rows.length > 0 && claimOutcome(claim).rows > 1;
  return simpleTable([{title: 'claim', left: true, text: c => c.text}, {title: 'asked', text: claimAsked}, {title: 'reached', text: c => claimValue(c, c.reached)},
    {title: '', left: true, text: c => c.verdict}, {title: 'source', left: true, text: c => c.source}, {title: 'as', left: true, text: c => several(c) ? `${c.figure} of ${grouped(claimOutcome(c).rows)}` : ''},
    {title: 'run', left: true, text: c => c.run || ''}], rows, group);
}

/// The rows of each run, and what they come to.
function claimParts(claim) {
  const rows = claim.outcomes.flatMap(outcome => [...claim.rows.filter(row => row.run === outcome.run),
    {run: outcome.run, name: `${claim.figure} of ${grouped(outcome.rows)}`, detail: outcome.met ? 'met' : 'missed', value: outcome.value, class: outcome.met ? 'sum' : 'wrong'}]);
  return [element('h4', {}, claim.text), element('p', {class: 'remark'}, `${claim.group}. ${claim.source}. Asked ${claimAsked(claim)}, reached ${claimValue(claim, claim.reached)}: ${claim.verdict}.`),
    pagedTable([{title: 'run', left: true, text: r => r.run}, {title: 'commit', left: true, text: r => r.commit || ''}, {title: 'matrix', left: true, text: r => r.name}, {title: 'value', text: r => claimValue(claim, r.value)},
      {title: '', left: true, text: r => r.detail}], rows, claim.text, 40)];
}
