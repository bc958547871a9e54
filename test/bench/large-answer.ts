/** Peak memory of every command that handles answers, for one answer of 64 MB and for one with 600,000 sources. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

const { rounds, isQuick, wants } = benchFlags();
const scale = isQuick ? 0.02 : 1;
const TEXT_BYTES = 64_000_000 * scale;
const SOURCES = 600_000 * scale;

const block = (type: string, content: unknown): object => ({
  type,
  content,
  stage: 'Respond',
  group_id: '',
  group_name: '',
});

const ANSWERS: Readonly<Record<string, () => object[]>> = {
  latin: () => [block('MESSAGE', longText('sales'))],
  text: () => [block('MESSAGE', longText('売上'))],
  sources: () => [
    block('MESSAGE', 'These are all.'),
    block(
      'SOURCES',
      Array.from({ length: SOURCES }, (_, index) => ({
        source: `part ${index}.csv`,
        datasource_id: `source-${index}`,
        file_type: 'csv',
        external_id: `e-${index}`,
      })),
    ),
  ],
};

for (const [name, blocks] of Object.entries(ANSWERS)) {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  try {
    await measure(name, blocks(), directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Hardly compressible. With a letter beyond Latin-1 it takes two bytes a character in memory: what takes most. */
function longText(word: string): string {
  const lines: string[] = [];
  for (let bytes = 0; bytes < TEXT_BYTES; bytes += 52) {
    const noise = createHash('sha256').update(String(bytes)).digest('base64');
    lines.push(`${noise} ${word}`);
  }
  return lines.join('\n');
}

async function measure(name: string, blocks: object[], directory: string): Promise<void> {
  const told = join(directory, 'told.json');
  const job = {
    job_id: 'job-1',
    question: { blocks: [block('MESSAGE', 'Tell me all.')] },
    answer: { blocks },
  };
  const sessions = [{ id: 's-1', name: 'Large', jobs: [job] }];
  const text = JSON.stringify({ users: [{ user_id: 'ada', sessions }] });
  const answerMB = Buffer.byteLength(text) / 1e6;
  await writeFile(told, text);
  using emulator = await EmulatorProcess.start({ users: 0, importFiles: [told] });
  const archive = join(directory, 'archive');
  const out = join(directory, 'out');
  const commands: Readonly<Record<string, readonly string[]>> = {
    export: ['export', '--out', archive, ...everybody(emulator.service)],
    show: ['show', archive, 's-1'],
    search: ['search', archive, { latin: 'sales', text: '売上' }[name] ?? 'all'],
    report: ['report', archive, '--out', out],
    workbook: ['workbook', archive, '--user', 'ada', '--out', `${out}.xlsx`],
    evidence: ['evidence', archive, '--user', 'ada', '--out', out],
    query: ['query', archive, 'FROM jobs', '--output', 'csv'],
    verify: ['verify', archive],
  };
  for (const [command, words] of Object.entries(commands)) {
    const row = `large-${name}-${command}`;
    if (!wants(row) && command !== 'export') continue;
    const runs = await collect(rounds, async () => {
      await rm(command === 'export' ? archive : out, { recursive: true, force: true });
      await rm(`${out}.xlsx`, { force: true });
      const { peakMB, cpuSeconds } = await measuredNode(words, { environment: KEY });
      process.stderr.write(`${row}: ${peakMB.toFixed(0)} MB, ${cpuSeconds.toFixed(1)} s of CPU\n`);
      return { ours: peakMB, peer: answerMB };
    });
    if (wants(row)) printRow(row, 'MB', runs);
  }
}
