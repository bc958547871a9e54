/** Draws a job's figures: bars by category or a line over months, beside the previous period. */
import { capitalised, MEASURES } from './phrases.js';
import type { FileContent } from './seed-plan.js';
import type { Figures } from './tables.js';
import { PNG } from 'pngjs';

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

/** A picture in memory on which rectangles, lines and text are drawn, and its PNG. */

/** Red, green, blue: 0 to 255. */
export type Colour = readonly [number, number, number];

/** Bytes of a pixel, and PNG's word for them. */
const RGB = { bytes: 3, colorType: 2 } as const;

class Canvas {
  readonly #pixels: Buffer;

  /** A white canvas. */
  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = Buffer.alloc(width * height * RGB.bytes, 255);
  }

  rectangle(left: number, top: number, width: number, height: number, colour: Colour): void {
    const [fromX, toX] = [
      Math.max(0, Math.round(left)),
      Math.min(this.width, Math.round(left + width)),
    ];
    const [fromY, toY] = [
      Math.max(0, Math.round(top)),
      Math.min(this.height, Math.round(top + height)),
    ];
    for (let y = fromY; y < toY; y++) {
      for (let x = fromX; x < toX; x++) {
        const at = (y * this.width + x) * RGB.bytes;
        this.#pixels[at] = colour[0];
        this.#pixels[at + 1] = colour[1];
        this.#pixels[at + 2] = colour[2];
      }
    }
  }

  line(x1: number, y1: number, x2: number, y2: number, thickness: number, colour: Colour): void {
    const steps = Math.max(1, Math.ceil(Math.hypot(x2 - x1, y2 - y1)));
    for (let step = 0; step <= steps; step++) {
      const x = x1 + ((x2 - x1) * step) / steps;
      const y = y1 + ((y2 - y1) * step) / steps;
      this.rectangle(x - thickness / 2, y - thickness / 2, thickness, thickness, colour);
    }
  }

  /** @param x where the text begins, ends or has its middle */
  text(
    text: string,
    x: number,
    top: number,
    style: { readonly scale: number; readonly colour: Colour; readonly align?: Align },
  ): void {
    const { scale, colour, align = 'left' } = style;
    const shown = drawable(text);
    const width = textWidth(shown, scale);
    const left = align === 'left' ? x : align === 'right' ? x - width : x - width / 2;
    eachDot(shown, (dotX, dotY) => {
      this.rectangle(Math.round(left) + dotX * scale, top + dotY * scale, scale, scale, colour);
    });
  }

  png(): Uint8Array {
    const png = new PNG({ width: this.width, height: this.height });
    png.data = this.#pixels;
    const { colorType } = RGB;
    // Flat colours compress well without filters, in a third of the time.
    return PNG.sync.write(png, {
      colorType,
      inputColorType: colorType,
      inputHasAlpha: false,
      filterType: 0,
      deflateLevel: 6,
    });
  }
}

export type Align = 'left' | 'middle' | 'right';

/** In pixels. */
function textWidth(text: string, scale: number): number {
  return Math.max(0, drawable(text).length * GLYPH_WIDTH - 1) * scale;
}

/** Letters of 5 by 7 dots, enough for the titles and labels of charts. */

/** A glyph a line: the character, then its rows from the top, each 5 dots as one base-32 digit. */
const GLYPHS = `
A ehhvhhh B uhhuhhu C ehggghe D uhhhhhu E vgguggv F vgguggg G ehgnhhf H hhhvhhh I e44444e
J 72222ic K hikokih L ggggggv M hrllhhh N hhpljhh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih
S fgge11u T v444444 U hhhhhhe V hhhhha4 W hhhllla X hha4ahh Y hhha444 Z v1248gv
a 00e1fhf b ggmphhu c 00egghe d 11djhhf e 00ehvge f 698s888 g 0fhhf1e h ggmphhh i 40c444e
j 20622ic k ggikoki l c44444e m 00qllhh n 00mphhh o 00ehhhe p 00uhugg q 00djf11 r 00mpggg
s 00fge1u t 88s8896 u 00hhhjd v 00hhha4 w 00hhlla x 00ha4ah y 00hhf1e z 00v248v
0 ehjlphe 1 4c4444e 2 eh1248v 3 v2421he 4 26aiv22 5 vgu11he 6 68guhhe 7 v124888 8 ehhehhe
9 ehhf12c . 00000cc , 0000048 - 000v000 % op248j3 ( 2488842 ) 8422248 / 01248g0 : 0cc0cc0
+ 044v440 & cik8lid ' c480000 " aa00000 _ 000000v`;

const ROWS: ReadonlyMap<string, readonly number[]> = new Map(
  GLYPHS.trim()
    .split(/\s+/)
    .flatMap((token, index, tokens) =>
      index % 2 === 0
        ? [[token, Array.from(tokens[index + 1] ?? '', (digit) => parseInt(digit, 32))] as const]
        : [],
    ),
);

const GLYPH_WIDTH = 6;

/** The drawable characters of a text: letters lose their accents, other scripts and emoji are removed. */
function drawable(text: string): string {
  return Array.from(text.normalize('NFKD'))
    .filter((character) => character === ' ' || ROWS.has(character))
    .join('')
    .replace(/ +/g, ' ')
    .trim();
}

/** Calls `dot` for every dot of a drawable text, in units of dots from the top left. */
function eachDot(text: string, dot: (x: number, y: number) => void): void {
  Array.from(text).forEach((character, index) => {
    ROWS.get(character)?.forEach((row, y) => {
      for (let x = 0; x < 5; x++) if (row & (16 >> x)) dot(index * GLYPH_WIDTH + x, y);
    });
  });
}
