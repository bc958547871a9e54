/** Draws a job's figures: bars by category or a line over months, beside the previous period. */
import { capitalised } from './capitalised.js';
import { drawable } from './bitmap-font.js';
import { Canvas, textWidth, type Colour } from './canvas.js';
import type { FileContent } from './file-content.js';
import type { Figures } from './figures.js';
import { MEASURES } from './glossary.js';

const WIDTH = 800;
const HEIGHT = 450;
const PLOT = { left: 92, top: 84, right: WIDTH - 24, bottom: HEIGHT - 62 };
const INK: Colour = [33, 37, 41];
const MUTED: Colour = [108, 117, 125];
const GRID: Colour = [222, 226, 230];
const BEFORE: Colour = [173, 181, 189];
const NOW: readonly Colour[] = [
  [31, 119, 180],
  [0, 128, 115],
  [148, 62, 143],
  [200, 90, 20],
];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The newest charts, by what they show: the same seed gives every emulator of a process the same ones. */
const drawn = new Map<string, FileContent>();
/** About 8 kB each. */
const MAX_DRAWN = 256;

export function drawChart(figures: Figures): FileContent {
  const { topic, rows, period } = figures;
  const shown = JSON.stringify([topic.measure, topic.dimension, topic.chart, period, rows]);
  const known = drawn.get(shown);
  if (known) return known;
  const chart: FileContent = { bytes: draw(figures), mediaType: 'image/png' };
  drawn.set(shown, chart);
  const [oldest = shown] = drawn.keys();
  if (drawn.size > MAX_DRAWN) drawn.delete(oldest);
  return chart;
}

function draw({ topic, rows, period }: Figures): Uint8Array {
  const canvas = new Canvas(WIDTH, HEIGHT);
  const colour = NOW[topic.measure.length % NOW.length] ?? INK;
  const title = `${capitalised(MEASURES[topic.measure].EN)} by ${topic.dimension}, ${period}`;
  canvas.text(title, PLOT.left, 18, { scale: 3, colour: INK });
  legend(canvas, period, colour);
  const highest = Math.max(...rows.flatMap(({ value, previous }) => [value, previous]));
  const step = niceStep(highest / 5);
  const top = Math.ceil(highest / step) * step;
  const y = (value: number): number => PLOT.bottom - (value / top) * (PLOT.bottom - PLOT.top);
  grid(canvas, step, top, y);
  const slot = (PLOT.right - PLOT.left) / rows.length;
  const middle = (index: number): number => PLOT.left + (index + 0.5) * slot;
  rows.forEach(({ category }, index) => {
    label(canvas, category, middle(index), slot);
  });
  if (topic.chart === 'bar') {
    rows.forEach(({ value, previous }, index) => {
      const width = slot * 0.34;
      const left = middle(index) - width;
      canvas.rectangle(left, y(previous), width, PLOT.bottom - y(previous), BEFORE);
      canvas.rectangle(left + width, y(value), width, PLOT.bottom - y(value), colour);
    });
  } else {
    const at = (pick: 'value' | 'previous'): [number, number][] =>
      rows.map((row, index) => [middle(index), y(row[pick])]);
    path(canvas, at('previous'), 2, BEFORE);
    path(canvas, at('value'), 4, colour);
    for (const [x, height] of at('value')) canvas.rectangle(x - 5, height - 5, 10, 10, colour);
  }
  canvas.rectangle(PLOT.left, PLOT.bottom, PLOT.right - PLOT.left, 2, INK);
  return canvas.png();
}

function legend(canvas: Canvas, period: string, colour: Colour): void {
  const now = PLOT.left;
  canvas.rectangle(now, 54, 14, 14, colour);
  canvas.text(period, now + 22, 54, { scale: 2, colour: MUTED });
  const before = now + 22 + textWidth(period, 2) + 28;
  canvas.rectangle(before, 54, 14, 14, BEFORE);
  canvas.text('period before', before + 22, 54, { scale: 2, colour: MUTED });
}

function grid(canvas: Canvas, step: number, top: number, y: (value: number) => number): void {
  for (let value = 0; value <= top + step / 2; value += step) {
    canvas.rectangle(PLOT.left, y(value), PLOT.right - PLOT.left, 1, GRID);
    const text = shortNumber(value);
    canvas.text(text, PLOT.left - 10, Math.round(y(value)) - 7, {
      scale: 2,
      colour: MUTED,
      align: 'right',
    });
  }
}

function path(
  canvas: Canvas,
  points: readonly (readonly [number, number])[],
  thickness: number,
  colour: Colour,
): void {
  points.forEach(([x, y], index) => {
    const from = points[index - 1];
    if (from) canvas.line(from[0], from[1], x, y, thickness, colour);
  });
}

/** On one line or two, cut to what fits. */
function label(canvas: Canvas, category: string, x: number, width: number): void {
  const month = /^\d{4}-(\d{2})$/.exec(category)?.[1];
  const text = month ? (MONTHS[Number(month) - 1] ?? category) : drawable(category);
  const fits = Math.max(3, Math.floor(width / 12));
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= fits) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  lines.slice(0, 2).forEach((line, row) => {
    canvas.text(line.slice(0, fits), x, PLOT.bottom + 12 + row * 19, {
      scale: 2,
      colour: INK,
      align: 'middle',
    });
  });
}

/** 1, 2 or 5 times a power of ten, at least `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 0.1)));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(1))}M`;
  return value >= 1e4 ? `${Number((value / 1000).toFixed(1))}k` : String(Number(value.toFixed(1)));
}
