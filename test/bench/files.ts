/**
 * Time of an export of 2,960 files of 12 KB, each answer 20 ms away, against curl fetching the same URLs over
 * as many connections.
 * Usage: node dist/bench/test/bench/files.js [--rounds 5] [--only files-8,files-32] [--quick]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileService } from './file-service.js';
import { timed } from './measured-process.js';
import { benchFlags, collect, printRow, type Run } from './measurement.js';

const LATENCY_MS = 20;

const { rounds, isQuick, wants } = benchFlags();

using service = await FileService.start({
  jobs: isQuick ? 20 : 370,
  fileBytes: 12_288,
  latencyMs: LATENCY_MS,
});
for (const connections of [8, 32]) {
  const row = `files-${connections}`;
  if (wants(row)) printRow(row, 's', await collect(rounds, () => compare(connections)));
}

async function compare(connections: number): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'jobvault-bench-'));
  try {
    const peer = await curl(await service.urls(), connections, join(directory, 'curl'));
    const { seconds } = await service.export(join(directory, 'archive'), connections);
    return { ours: seconds, peer };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function curl(
  urls: readonly string[],
  connections: number,
  directory: string,
): Promise<number> {
  mkdirSync(directory);
  const lines = urls.map((url, index) => `url = "${url}"\noutput = "${directory}/${index}"\n`);
  writeFileSync(`${directory}.config`, lines.join(''));
  const limits = ['--parallel', '--parallel-immediate', '--parallel-max', String(connections)];
  const args = ['--silent', '--fail', ...limits, '--config', `${directory}.config`];
  return (await timed('curl', args)).seconds;
}
