/** The built program, killed again and again while people go on asking, against one that nobody disturbs. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { TABLES } from '../../../src/model/tables.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { seededRandom } from '../../support/store/archive-samples.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import { duckDbTable, sqlText } from '../../support/tables/duckdb-rows.js';
import { fault } from '../../support/base/fault.js';

const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? Date.now() % 1_000_000);
const KILLS = Number(process.env['JOBVAULT_TEST_KILLS'] ?? 5);

/** What may differ from an undisturbed run. */
const UNLIKE = new Set(['run_id', 'exported_at', 'job_index', 'expires_at']);
/** Signatures and expiry inside texts: new with every page. */
const FLEETING = /\?X-Amz-[^"\\)\s]+|"expires_at":"[^"]*"/g;

let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 2, sessions: 3, jobs: 3, artifactsPerJob: 1 });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The words of an export into another place than the rig's archive. */
function wordsInto(place: string, ...more: string[]): string[] {
  return rig.exportWords(...more).map((word) => (word === rig.out ? place : word));
}

/** Resolves when the next process asks the service for something. */
function firstRequest(): Promise<void> {
  return new Promise((resolve) => {
    rig.emulator.faults.beforeRequest = () => {
      resolve();
    };
  });
}

/** A table as one line a row, without what may differ; sorted. */
async function linesOf(tables: string, name: string): Promise<string[]> {
  const table = TABLES.find((candidate) => candidate.name === name)!;
  const parts = await readdir(join(tables, name)).catch(() => []);
  if (!parts.some((part) => part.startsWith('dt='))) return [];
  const glob = sqlText(join(tables, name, 'dt=*', '*.parquet'));
  const rows = await duckDbTable(table, `read_parquet(${glob}, hive_partitioning = false)`);
  const columns = table.columns.filter((column) => !UNLIKE.has(column.name));
  return rows
    .map((row) => columns.map(({ name: column }) => String(row[column])).join('\t'))
    .map((line) => line.replace(FLEETING, ''))
    .sort();
}

it(
  `ends with the rows and files of an undisturbed run after ${KILLS} kills (seed ${SEED})`,
  { ...fault('F-28'), timeout: 240_000 },
  async () => {
    const random = seededRandom(SEED);
    const words = ['--checkpoint-size', '1KB', '--concurrency', '2'];
    const whole = join(rig.directory, 'whole');

    let asked = firstRequest();
    const first = rig.begin(wordsInto(join(rig.directory, 'first'), ...words));
    await Promise.race([asked, first.ended]);
    const began = performance.now();
    expect((await first.ended).exitCode).toBe(0);
    let durationMs = performance.now() - began;

    let kills = 0;
    for (let attempts = 0; kills < KILLS; attempts++) {
      expect(attempts).toBeLessThan(10 * KILLS);
      const users = rig.state.userIds();
      const user = users[Math.floor(random.fraction() * users.length)]!;
      rig.state.addJobs(user, rig.state.addSession(user), 2);
      asked = firstRequest();
      const running = rig.begin(rig.exportWords(...words));
      await Promise.race([asked, running.ended]);
      const askedAt = performance.now();
      const timer = setTimeout(() => {
        running.kill('SIGKILL');
      }, random.fraction() * durationMs);
      const { exitCode, stderr } = await running.ended;
      clearTimeout(timer);
      if (exitCode === null) {
        kills++;
        continue;
      }
      expect(exitCode, stderr).toBe(0);
      // it was faster than the kill: the next ones come within the time that a run takes now
      durationMs = performance.now() - askedAt;
    }

    expect((await rig.export({ words })).status).toBe('complete');
    const undisturbed = await rig.run(wordsInto(whole));
    expect(undisturbed.exitCode, undisturbed.stderr).toBe(0);

    const tables = await rig.place.local('tables');
    for (const { name } of TABLES.filter(
      ({ name }) => name !== 'datasets' && name !== 'deletions',
    )) {
      const lines = await linesOf(tables, name);
      const wanted = await linesOf(join(whole, 'tables'), name);
      expect(lines.length, name).toBe(wanted.length);
      expect(sha256Hex(lines.join('\n')), name).toBe(sha256Hex(wanted.join('\n')));
    }
    const namesIn = (paths: readonly string[]) => paths.map((path) => basename(path)).sort();
    const files = await readdir(join(whole, 'artifacts'), { recursive: true, withFileTypes: true });
    expect(namesIn(await rig.files('artifacts'))).toEqual(
      namesIn(files.filter((file) => file.isFile()).map(({ name }) => name)),
    );

    const verified = await rig.run(['verify', rig.out]);
    expect(verified.exitCode, verified.stdout).toBe(0);
    const archive = await openArchiveIn(await openStorage(rig.out));
    const { problems, orphans } = await verifyArchive(archive);
    expect({ problems, orphans }).toEqual({ problems: [], orphans: [] });
    const housekeeping = (await rig.files()).filter((path) => /^_(staging|leases)\//.test(path));
    expect(housekeeping).toEqual([]);
  },
);
