'use strict';
// Charts. Each is a figure with a specification for Vega-Lite, made anew when the filters or the colours change. A chart
// is drawn when it comes near the window; printing draws all of them.

const chartsMissing = document.getElementById('charts-missing').textContent;
const CANVAS_FROM = 3000;  // marks; below, charts are SVG
const NAMED = 40;          // matrices whose names fit below a chart
const charts = [];
const noLoader = {load: () => Promise.reject(new Error('this page loads nothing')),
                  sanitize: () => Promise.reject(new Error('this page links nowhere'))};

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const darkColours = matchMedia('(prefers-color-scheme: dark)');

function chartConfig() {
  const text = css('--text'), muted = css('--muted'), line = css('--line');
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  return {
    background: 'transparent', font, padding: 4,
    view: {stroke: null},
    axis: {labelColor: muted, titleColor: muted, titleFontWeight: 500, gridColor: line, domainColor: line, tickColor: line,
           labelFontSize: 12, titleFontSize: 12, labelLimit: 190},
    legend: {labelColor: text, titleColor: muted, labelFontSize: 12, orient: 'top', title: null, symbolOpacity: 1,
             layout: {bottom: {direction: 'vertical', anchor: 'start'}}},
    text: {font, fontSize: 12},
    mark: {aria: false},  // a screen reader hears what a chart shows, and has the tables; not each of thousands of points
  };
}

const classColours = () => ({domain: CLASSES.map(bits => bits + ' bits'), range: CLASSES.map(bits => css('--bits-' + bits))});
const seriesColours = () => ['--after', '--before', '--bits-32'].map(css);
const orderingColours = () => ({domain: shownOrderings().map(orderingLabel), range: [css('--before'), css('--after')]});

const heights = new Map();  // of charts as last drawn: a chart made anew takes its place at once, so that nothing jumps

/// A figure: {id, title, note: () => text, spec: () => specification, or null where there is nothing to draw, empty: what
/// to say then, whenDrawn: view => ...}; a line of text where the chart libraries are missing.
function chart({id, title, note, spec, empty = 'Nothing to draw for these matrices.', whenDrawn = null}) {
  if (chartsMissing) return remark('Chart left out: ' + title + '.');
  const place = element('div', {class: 'chart', 'data-chart': id}), text = element('p', {class: 'remark'});
  if (heights.has(id)) place.style.minHeight = heights.get(id) + 'px';
  const figure = element('figure', {id: 'figure-' + id}, element('figcaption', {}, title), place, text);
  const state = {id, place, figure, spec, empty, whenDrawn, drawn: false, view: null, waiting: Promise.resolve()};
  state.draw = () => {
    state.drawn = true;
    state.waiting = state.waiting.then(() => drawChart(state)).then(() => { text.textContent = note ? note() : ''; });
    return state.waiting;
  };
  charts.push(state);
  watcher.observe(figure);
  return figure;
}

const marksOf = spec => Math.max(...[spec, ...(spec.layer || [])].map(part => part.data ? part.data.values.length : 0));

/// A click on a mark that belongs to a matrix leads to its pattern.
function followClicks(view) {
  view.addEventListener('click', (event, item) => {
    if (!item || !item.datum || item.datum.index === undefined) return;
    showMatrix(item.datum.index);
    document.getElementById('one-matrix').scrollIntoView();
  });
}

const tooltipBox = element('div', {id: 'tooltip', role: 'tooltip', hidden: true});

/// The fields of a mark beside the pointer, always inside the window.
function showTooltip(event, fields) {
  tooltipBox.hidden = !fields;
  if (!fields) return;
  const lines = typeof fields === 'object' ? Object.entries(fields) : [['', fields]];
  tooltipBox.replaceChildren(...lines.filter(([, value]) => value !== undefined && value !== '').map(([name, value]) =>
    element('p', {}, element('span', {}, name), ' ', element('b', {}, String(value)))));
  if (!tooltipBox.isConnected) document.body.append(tooltipBox);
  const gap = 12, {offsetWidth: width, offsetHeight: height} = tooltipBox;
  const beside = (at, size, all) => at + gap + size <= all ? at + gap : Math.max(0, at - gap - size);
  tooltipBox.style.left = Math.min(beside(event.clientX, width, document.documentElement.clientWidth), Math.max(0, document.documentElement.clientWidth - width)) + 'px';
  tooltipBox.style.top = beside(event.clientY, height, innerHeight) + 'px';
}

async function drawChart(state) {
  if (state.view) state.view.finalize();
  state.view = null;
  state.place.replaceChildren();
  const body = state.spec();
  if (!body) return void state.place.append(element('p', {class: 'empty'}, state.empty));
  const result = await vegaEmbed(state.place, {width: 'container', ...body, config: chartConfig()}, {
    mode: 'vega-lite', ast: true, actions: false, loader: noLoader, renderer: marksOf(body) > CANVAS_FROM ? 'canvas' : 'svg',
    tooltip: (_, event, item, fields) => showTooltip(event, item && fields),
  });
  state.view = result.view;
  state.place.style.minHeight = '';
  heights.set(state.id, state.place.offsetHeight);
  followClicks(result.view);
  if (state.whenDrawn) state.whenDrawn(result.view);
}

const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const state = charts.find(c => c.figure === entry.target);
    if (entry.isIntersecting && !state.drawn) state.draw();
  }
}, {rootMargin: '400px'});

const drawAllCharts = () => Promise.all(charts.map(c => c.drawn ? c.waiting : c.draw()));
const redrawCharts = (test = () => true) => { for (const c of charts) if (c.drawn && test(c)) c.draw(); };

/// Forgets the charts of a part of the page before that part is made anew.
function forgetCharts(box) {
  for (let i = charts.length - 1; i >= 0; --i) {
    if (!box.contains(charts[i].figure)) continue;
    watcher.unobserve(charts[i].figure);
    if (charts[i].view) charts[i].view.finalize();
    charts.splice(i, 1);
  }
}

darkColours.addEventListener('change', () => { redrawCharts(); redrawPictures(); });
addEventListener('beforeprint', drawAllCharts);

const tooltip = (...fields) => fields.map(([field, title, format]) => ({field, title, format, type: format ? 'quantitative' : 'nominal'}));

const logScale = {type: 'log', nice: false};

/// An axis with these ticks, as 100, 10 k and 1 M.
const axisOf = ticks => ({values: ticks, labelOverlap: true, description: ticks.length ? `axis from ${shortNumber(ticks[0])} to ${shortNumber(ticks[ticks.length - 1])}` : '', labelExpr: JSON.stringify(Object.fromEntries(ticks.map(t => [t, shortNumber(t)]))) + '[datum.value]'});

/// Ticks at 1, 2 and 5 times the powers of ten; at the powers alone in a wide range.
function logAxis(values, field) {
  const all = values.map(v => v[field]), least = Math.min(...all), most = Math.max(...all);
  const steps = most / least > 2000 ? [1] : most / least > 30 ? [1, 3] : [1, 2, 5], ticks = [];
  for (let power = -9; power <= 15; ++power) for (const step of steps) ticks.push(Number(step + 'e' + power));
  const inside = ticks.filter(t => t >= least && t <= most), every = Math.ceil(inside.length / 8);
  return axisOf(inside.filter((_, i) => i % every === 0));
}

/// Factors from below the smallest to above the largest, 1 among them.
function factorScale(values) {
  const factors = values.map(v => v.factor);
  const domain = [0.95 * Math.min(1, ...factors), 1.05 * Math.max(1, ...factors)];
  const steps = domain[1] / domain[0] > 50 ? [1] : domain[1] / domain[0] > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const ticks = [];
  for (let power = -6; power <= 6; ++power) for (const step of steps) ticks.push(Number(step + 'e' + power));
  return {scale: {type: 'log', domain, nice: false}, axis: axisOf(ticks.filter(t => t >= domain[0] && t <= domain[1]))};
}

/// A dashed line across the chart where both sides are equal.
const lineAtOne = channel => ({data: {values: [{one: 1}]}, mark: {type: 'rule', color: css('--muted'), strokeDash: [4, 3]}, encoding: {[channel]: {field: 'one', type: 'quantitative'}}});

/// Fainter where they are many.
const points = values => ({type: 'point', filled: true, cursor: 'pointer',
  ...(values.length > 1000 ? {size: 14, opacity: 0.4} : values.length > 2 * NAMED ? {size: 24, opacity: 0.6} : {size: 60, opacity: 0.8})});
