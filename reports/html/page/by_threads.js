'use strict';
// Products against the number of threads: runs of one machine that differ in their threads alone.

const threadless = ({machine}) => settingOf({...machine, threads: 0});
const threadsOf = record => record.machine.threads;

/// Runs of one machine on at least three numbers of threads: lists of records.
const threadRuns = [...groupsOf(benchRecords.filter(record => record.machine.device === 'cpu'), threadless).values()]
  .filter(records => new Set(records.map(threadsOf)).size >= 3);
let threadRun = 0;

/// For each series of a type its geometric mean speed on each number of threads, over the matrices that have it on all of
/// them: [{series, peer, own, matrices, speeds: Map of threads to Gflop/s, times: Map of matrix to Map of threads to seconds}].
function scalingOf(records, type, {wanted, own}) {
  const counts = [...new Set(records.map(threadsOf))].sort((a, b) => a - b);
  const rows = records.flatMap(record => record.formats.filter(row => isRight(row) && row.type === type && row.seconds_median > 0 && wanted(row)).map(row => ({record, row})));
  return [...groupsOf(rows, ({row}) => seriesOf(row))].map(([series, all]) => {
    const times = new Map([...groupsOf(all, ({record}) => record.matrix.path)].map(([path, some]) => [path, new Map(some.map(({record, row}) => [threadsOf(record), row]))])
      .filter(([, byThreads]) => counts.every(count => byThreads.has(count))));
    const speeds = new Map(counts.map(count => [count, geometricMean([...times.values()].map(byThreads => byThreads.get(count).gflops))]));
    return {series, peer: all[0].row.peer, own: all[0].row.format === own, matrices: times.size, speeds, times};
  }).filter(s => s.matrices);
}

const threadLines = (scaling, figure, y, what) => linesSpec(scaling.flatMap(s => [...s.speeds.keys()].map(count => ({x: count, y: figure(s, count), series: s.series, kind: 'cpu', name: `${countText(s.matrices, 'matrix')}`}))),
  'threads', y, `Lines: ${what} against the number of threads`);

/// Mean speedup over `other`, of the matrices that both have.
const gainOver = (mine, other) => count => geometricMean([...mine.times].filter(([path]) => other.times.has(path)).map(([path, byThreads]) =>
  other.times.get(path).get(count).seconds_median / byThreads.get(count).seconds_median));

function gainLines(scaling) {
  const mine = scaling.find(s => s.own);
  return !mine ? null : linesSpec(scaling.filter(s => s !== mine).flatMap(s => [...mine.speeds.keys()].map(count =>
    ({x: count, y: gainOver(mine, s)(count), series: `${mine.series} over ${s.series}`, kind: 'cpu', name: countText(s.matrices, 'matrix')}))), 'threads', 'times as fast', 'Lines: speedup against the number of threads');
}

function scalingTable(scaling, type) {
  const counts = [...scaling[0].speeds.keys()], [fewest] = counts;
  return [element('h4', {}, `Scaling factors: ${type}`), simpleTable([{title: 'format', left: true, text: s => s.series + (s.peer ? ' (peer)' : '')}, {title: 'matrices', text: s => grouped(s.matrices)},
    {title: `Gflop/s on ${fewest}`, text: s => digits(s.speeds.get(fewest))}, ...counts.slice(1).map(count => ({title: `on ${count}`, text: s => factorText(s.speeds.get(count) / s.speeds.get(fewest))}))],
    marked(scaling), `Scaling factors, ${type}`)];
}

function benchThreadsParts() {
  const records = threadRuns[threadRun], types = typesOf(records), comparison = comparisonOf('bench-threads', records);
  const scalings = Object.fromEntries(types.map(type => [type, scalingOf(records, type, comparison)]).filter(([, scaling]) => scaling.length)), drawn = Object.keys(scalings);
  return [chooser('Machine', threadRuns.map(run => run[0].machine.machine), threadRun, run => { threadRun = run; remakeParts(sectionOf('bench-threads')); }),
    comparisonChooser('bench-threads', records), sideBySide(chartsOfTypes(drawn, [
      {id: 'threads-speed', title: 'Gflop/s (paper 000, figure 5)', spec: type => threadLines(scalings[type], (s, count) => s.speeds.get(count), 'Gflop/s', 'speed')},
      {id: 'threads-scaling', title: 'Times as fast as on the fewest threads', spec: type => threadLines(scalings[type], (s, count) => s.speeds.get(count) / [...s.speeds.values()][0], 'scaling factor', 'scaling factor')},
      ...(comparison.own ? [{id: 'threads-gain', title: `${comparison.own} against the others (paper 000, figures 7 and 8)`, spec: type => gainLines(scalings[type])}] : []),
    ])), drawn.flatMap(type => scalingTable(scalings[type], type))];
}
