/** How long a reader of Delta Lake takes to begin after 1,000 commits: ClickHouse, with delta-kernel, against itself. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { currentContents } from '../../src/archive/archive.js';
import { partPath } from '../../src/archive/paths.js';
import { ulid } from '../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { TOOL } from '../../src/base/version.js';
import { asRunId } from '../../src/model/ids.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { chdb } from '../services/programs.js';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

const { rounds, isQuick, wants } = benchFlags();
const COMMITS = isQuick ? 20 : 1000;

/** ClickHouse reads local files below its working directory alone, so it is loaded from the root. */
const SCRIPT = `
process.chdir('/');
const { query } = require(process.argv[1]);
process.stdout.write(query(process.argv[2], 'TSV'));
`;

if (wants('delta-start')) {
  if (chdb === undefined) {
    skipRow('delta-start', 'chdb is missing: .ci/run installs it');
  } else {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
    try {
      const out = join(directory, 'archive');
      await fill(out);
      const sql = `SELECT count() FROM deltaLakeLocal('${out}/tables/jobs')`;
      await asked(chdb, sql); // its files come from the disk once
      const reader = chdb;
      printRow(
        'delta-start',
        's',
        await collect(rounds, async () => {
          return { ours: await asked(reader, sql), peer: await asked(reader, 'SELECT 1') };
        }),
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** Seconds of a process that answers one statement. */
async function asked(reader: string, sql: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, ['-e', SCRIPT, reader, sql]);
  return (performance.now() - began) / 1000;
}

/** One export, and then commits that each add its part file of jobs once more. */
async function fill(out: string): Promise<void> {
  using emulator = await EmulatorProcess.start({ users: 1, sessions: 1, jobs: 2 });
  await measuredNode(['export', '--out', out, '--json', ...everybody(emulator.service)], {
    environment: KEY,
  });
  const storage = await openStorage(out);
  const archive = await openArchiveIn(storage, { clock: systemClock, random: systemRandom });
  const { files } = await currentContents(archive);
  const jobs = [...files.values()].find(({ table }) => table === 'jobs');
  if (!jobs) throw new Error('the export has no part file of jobs');
  const run = asRunId(ulid(systemClock, systemRandom));
  const [, day = ''] = /dt=([\d-]+)\//.exec(jobs.path) ?? [];
  for (let checkpoint = 1; checkpoint <= COMMITS; checkpoint++) {
    const path = partPath('jobs', day, run, checkpoint, 'parquet');
    await mkdir(dirname(join(out, path)), { recursive: true });
    await copyFile(join(out, jobs.path), join(out, path));
    const base = (await archive.log.head())?.number ?? 0;
    const files = [{ ...jobs, path }];
    await archive.log.append({
      kind: 'export',
      run,
      checkpoint,
      base,
      tool: TOOL,
      scope: {},
      files,
    });
    await archive.delta.publish();
  }
  await storage.close();
}
