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
    ...[...groupsOf(page.claims, claim => claim.group)].flatMap(([group, claims]) => [element('h3', {}, group), claimsTable(group, claims)]),
    ...measuredClaims.flatMap(claimParts)];
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
  return [element('h3', {}, claim.text), element('p', {class: 'remark'}, `${claim.group}. ${claim.source}. Asked ${claimAsked(claim)}, reached ${claimValue(claim, claim.reached)}: ${claim.verdict}.`),
    pagedTable([{title: 'run', left: true, text: r => r.run}, {title: 'commit', left: true, text: r => r.commit || ''}, {title: 'matrix', left: true, text: r => r.name}, {title: 'value', text: r => claimValue(claim, r.value)},
      {title: '', left: true, text: r => r.detail}], rows, claim.text, 40)];
}
