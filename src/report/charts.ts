/** Pictures as SVG, drawn when the report is made: nothing runs on the page for them, and their colours follow its theme. */
import { BarChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeHtml } from './escape-html.js';

echarts.use([BarChart, GridComponent, SVGRenderer]);

export type Counted = readonly (readonly [name: string, count: number])[];

/** Of a card, so that letters keep their size. */
const WIDTH = 360;
const BAR = 28;
const LABEL_CHARACTERS = 15;
const MARGIN = 12;
const COLUMNS_HEIGHT = 240;
const LABEL = { color: 'var(--ink-soft)', fontSize: 13, fontFamily: 'inherit' };
const SERIES = { type: 'bar' as const, silent: true, emphasis: { disabled: true } };

/** One bar a line, the name to its left. */
export function barsSvg(counted: Counted): string {
  return drawn(counted.length * BAR + 2 * MARGIN, {
    grid: { left: 124, right: 48, top: MARGIN, bottom: MARGIN },
    xAxis: { type: 'value', show: false },
    yAxis: {
      type: 'category',
      inverse: true,
      data: counted.map(([name]) => fitting(name)),
      axisLabel: LABEL,
      axisTick: { show: false },
      axisLine: { show: false },
    },
    series: [
      {
        ...SERIES,
        data: counted.map(([, count]) => count),
        barWidth: 16,
        itemStyle: { color: 'var(--accent-bar)', borderRadius: 4 },
        label: { ...LABEL, show: true, position: 'right', textBorderWidth: 0, formatter: grouped },
      },
    ],
  });
}

/** One column a stretch of time. */
export function columnsSvg(counted: Counted, width: number): string {
  const option = {
    grid: { left: 48, right: 16, top: 16, bottom: 32 },
    xAxis: {
      type: 'category',
      data: counted.map(([name]) => name),
      axisLabel: LABEL,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: 'var(--line)' } },
    },
    yAxis: {
      type: 'value',
      minInterval: 1,
      splitNumber: 4,
      axisLabel: { ...LABEL, formatter: (value: number) => grouped({ value }) },
      splitLine: { lineStyle: { color: 'var(--line)' } },
    },
    series: [
      {
        ...SERIES,
        data: counted.map(([, count]) => count),
        barMaxWidth: 36,
        barCategoryGap: '25%',
        itemStyle: { color: 'var(--accent-bar)', borderRadius: [4, 4, 0, 0] },
      },
    ],
  };
  return drawn(COLUMNS_HEIGHT, option, width);
}

function drawn(height: number, option: object, width = WIDTH): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, ...option });
    return asStillPicture(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/** Style attributes and sheets are what the page's policy refuses; the table beside the picture tells what is in it. */
function asStillPicture(svg: string): string {
  return svg
    .replace(/<style[^>]*>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
    .replace(/ style="([^"]*)"/g, (_all, style: string) => attributesOf(style))
    .replace(
      /^<svg width="\d+" height="\d+"/,
      '<svg class="chart" aria-hidden="true" focusable="false"',
    )
    .replace(/ (?:xmlns:xlink|version|baseProfile)="[^"]*"/g, '');
}

function attributesOf(style: string): string {
  return style
    .split(';')
    .map((declaration) => declaration.split(':', 2))
    .filter(([name = '']) => /^(?:font-(?:size|weight)|fill|stroke)$/.test(name.trim()))
    .map(([name = '', value = '']) => ` ${name.trim()}="${escapeHtml(value.trim())}"`)
    .join('');
}

function grouped({ value }: { readonly value?: unknown }): string {
  return Number(value).toLocaleString('en-US');
}

/** What fits beside the bars; wide characters take twice the room. There is no canvas here to measure on. */
function fitting(name: string): string {
  let room = LABEL_CHARACTERS;
  const characters = Array.from(name.replace(/\s+/g, ' ').trim() || '(no name)');
  const end = characters.findIndex((one) => (room -= one > '\u1100' ? 2 : 1) < 0);
  return end < 0 ? characters.join('') : `${characters.slice(0, end - 1).join('')}…`;
}
