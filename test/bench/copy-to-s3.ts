/**
 * Time of `copy` to S3, which reads everything back, against rclone: copying, and copying with
 * `check --download`. Needs rclone and the S3 server of the tests.
 * Usage: node dist/bench/test/bench/copy-to-s3.js [--rounds 5] [--only copy,copy-checked] [--quick]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../services/programs.js';
import { hasS3, missingS3 } from '../services/s3-availability.js';
import { BenchBucket } from './bench-bucket.js';
import { FileService } from './file-service.js';
import { measuredNode, timed } from './measured-process.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

/** What rclone copies and checks at a time: with more it is no faster here. */
const TRANSFERS = '16';

const { rounds, isQuick, wants } = benchFlags();
const rows = ['copy', 'copy-checked'].filter(wants);
const hasRclone = findProgram('rclone', 'RCLONE') !== undefined;
if (hasS3 && hasRclone) await compare();
else for (const row of rows) skipRow(row, hasRclone ? missingS3.join() : 'rclone is missing');

async function compare(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'jobvault-bench-'));
  const archive = join(directory, 'archive');
  {
    const jobs = isQuick ? 20 : 370;
    using service = await FileService.start({ jobs, fileBytes: 12_288, latencyMs: 0 });
    await service.export(archive);
  }
  await using bucket = await BenchBucket.start();
  try {
    const runs = await collect(rounds, (round) => copies(archive, bucket, round));
    for (const row of rows) {
      const peerOf = (run: Copies): number => (row === 'copy' ? run.copy : run.copy + run.check);
      printRow(
        row,
        's',
        runs.map((run) => ({ ours: run.ours, peer: peerOf(run) })),
      );
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Copies {
  readonly ours: number;
  readonly copy: number;
  readonly check: number;
}

async function copies(archive: string, bucket: BenchBucket, round: number): Promise<Copies> {
  const { endpoint } = bucket.server;
  const environment = {
    ...bucket.environment,
    AWS_CA_BUNDLE: '', // rclone does not take one
    RCLONE_CONFIG: '/dev/null',
    RCLONE_S3_PROVIDER: 'Ceph',
    RCLONE_S3_ENDPOINT: endpoint,
    RCLONE_S3_ENV_AUTH: 'true',
    RCLONE_TRANSFERS: TRANSFERS,
    RCLONE_CHECKERS: TRANSFERS,
  };
  const theirs = `:s3:${bucket.name}/rclone-${round}`;
  const copy = await timed('rclone', ['copy', archive, theirs], environment);
  const check = await timed('rclone', ['check', '--download', archive, theirs], environment);
  const target = bucket.placeOf(`jobvault-${round}`);
  const access = ['--target-s3-endpoint', endpoint, '--target-s3-force-path-style'];
  const ours = await measuredNode(['copy', archive, target, ...access, '--json'], { environment });
  return { ours: ours.seconds, copy: copy.seconds, check: check.seconds };
}
