/**
 * Time of `verify` against sha256sum of the same files in two processes: 2,960 small files, and half a gigabyte.
 * Usage: node dist/bench/test/bench/verify.js [--rounds 5] [--only verify-small,verify-large] [--quick]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileService } from './file-service.js';
import { measuredNode, timed } from './measured-process.js';
import { benchFlags, collect, printRow } from './measurement.js';

const FILE_BYTES = { 'verify-small': 12_288, 'verify-large': 174_080 };

const { rounds, isQuick, wants } = benchFlags();
for (const [row, fileBytes] of Object.entries(FILE_BYTES)) {
  if (wants(row)) await compare(row, fileBytes);
}

async function compare(row: string, fileBytes: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'jobvault-bench-'));
  const archive = join(directory, 'archive');
  {
    using service = await FileService.start({ jobs: isQuick ? 20 : 370, fileBytes, latencyMs: 0 });
    await service.export(archive);
  }
  const hashes = `find ${archive} -type f -print0 | xargs -0 -P 2 -n 100 sha256sum`;
  const runs = await collect(rounds, async () => {
    const peer = (await timed('bash', ['-c', hashes])).seconds;
    return { ours: (await measuredNode(['verify', archive, '--json'])).seconds, peer };
  });
  printRow(row, 's', runs);
  rmSync(directory, { recursive: true });
}
