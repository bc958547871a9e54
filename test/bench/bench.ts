/**
 * Measures the rows of the table, one program after the other, prints the table and writes it as JSON.
 * Usage: npm run bench -- [--only ROW,…] [--rounds 5] [--quick] [--out bench.json]; --markdown prints the file instead
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { groupBy } from '../../src/base/group-by.js';
import type { Line } from './measurement.js';
import { whyMissing } from './needed-programs.js';
import { ROWS, type BenchRow } from './rows.js';
import { markdownTable, terminalTable, type TableRow } from './table.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: 'bench.json' },
    markdown: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? ROWS.flatMap(({ row, isExtra }) => (isExtra ? [] : [row]));
const unknown = names.filter((name) => !ROWS.some(({ row }) => row === name));
if (unknown.length > 0) {
  const known = ROWS.map(({ row }) => row).join(', ');
  process.stderr.write(`There is no row ${unknown.join(', ')}; the rows are ${known}.\n`);
  process.exitCode = 2;
} else if (values.markdown) {
  const { rows, quick } = JSON.parse(readFileSync(values.out, 'utf8')) as {
    rows: Line[];
    quick: boolean;
  };
  process.stdout.write(markdownTable(tableOf(rows, quick)));
} else {
  await measure();
}

async function measure(): Promise<void> {
  const wanted = ROWS.filter(({ row }) => names.includes(row));
  const lines: Line[] = [];
  const [processor] = cpus();
  for (const [program, rows] of groupBy(wanted, (row) => row.program)) {
    lines.push(...(await measured(program, rows)));
    // after each program: whoever stops it has what was measured
    const result = {
      at: new Date().toISOString(),
      node: process.version,
      processors: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
      rounds: Number(values.rounds),
      quick: values.quick,
      rows: lines,
    };
    writeFileSync(values.out, `${JSON.stringify(result, null, 2)}\n`);
  }
  const quick = values.quick
    ? 'The sizes were small: that it works is told, not how fast it is.\n'
    : '';
  process.stdout.write(
    `\n${terminalTable(tableOf(lines, values.quick))}\n${quick}Written to ${values.out}\n`,
  );
}

/** What a program prints of the rows; one that it does not print was not measured. */
async function measured(program: string, rows: readonly BenchRow[]): Promise<Line[]> {
  for (const needed of new Set(rows.flatMap(({ needs = [] }) => needs))) {
    const skipped = await whyMissing(needed);
    if (skipped !== undefined) return rows.map(({ row }) => ({ row, skipped }));
  }
  const path = fileURLToPath(new URL(`${program}.js`, import.meta.url));
  const flags = ['--only', rows.map(({ row }) => row).join(','), '--rounds', values.rounds];
  process.stderr.write(`${program} ${flags.join(' ')}\n`);
  const started = performance.now();
  const child = spawn(process.execPath, [path, ...flags, ...(values.quick ? ['--quick'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  const reading = (async () => {
    for await (const text of createInterface({ input: child.stdout })) {
      lines.push(JSON.parse(text) as Line);
    }
  })();
  const [exitCode] = (await once(child, 'close')) as [number | null];
  await reading;
  const seconds = (performance.now() - started) / 1000;
  process.stderr.write(`${program}: ${seconds.toFixed(0)} s\n`);
  return rows.map(
    ({ row }): Line =>
      lines.find((line) => line.row === row) ?? {
        row,
        skipped: exitCode === 0 ? 'nothing was printed' : `exit code ${exitCode}`,
      },
  );
}

function tableOf(lines: readonly Line[], isQuick: boolean): TableRow[] {
  return ROWS.flatMap((row) => {
    const line = lines.find((one) => one.row === row.row);
    return line ? [{ row, line, isQuick }] : [];
  });
}
