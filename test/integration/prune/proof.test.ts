/** An archive that was tampered with behind its own back, and archives in every format. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealCommit } from '../../../src/archive/log/commit-reader.js';
import { unsealedSchema, type Commit } from '../../../src/archive/log/commit.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.state.putFile('good.csv', 'a\n1\n');
  rig.addSession('ann', 'a1', { files: ['good.csv'] });
  rig.addSession('ann', 'a2');
});
afterEach(() => rig[Symbol.asyncDispose]());

const COMMIT = '_commits/000000000001.json';

/** Edits a table's only file and makes the commit agree, digest and states included. */
async function tamper(table: string, edit: (lines: string[]) => string[]): Promise<void> {
  const commit = JSON.parse(await readFile(join(rig.out, COMMIT), 'utf8')) as Commit;
  const file = commit.files.find((candidate) => candidate.table === table);
  if (!file) throw new Error(`no file of ${table}`);
  const lines = gunzipSync(await readFile(join(rig.out, file.path)))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const edited = edit(lines);
  const bytes = gzipSync(edited.map((line) => `${line}\n`).join(''));
  await writeFile(join(rig.out, file.path), bytes);
  const entry = { rows: edited.length, bytes: bytes.length, sha256: sha256Hex(bytes) };
  const files = commit.files.map((other) => (other === file ? { ...file, ...entry } : other));
  const resealed = sealCommit(unsealedSchema.strip().parse({ ...commit, files }));
  await writeFile(join(rig.out, COMMIT), resealed.bytes);
  await rm(join(rig.out, '_laps'), { recursive: true });
}

describe('tampering that every checksum agrees with', () => {
  beforeEach(async () => {
    await rig.rig.archived({ formats: ['jsonl'] });
  });

  const refusesBoth = async (table: string, edit: (lines: string[]) => string[]) => {
    await tamper(table, edit);
    expect((await rig.rig.verify()).problems).toEqual([]);
    const { sessions } = await rig.pruned();
    expect(rig.deletesSent).toBe(Number(sessions.some(({ outcome }) => outcome === 'deleted')));
    return Object.fromEntries(sessions.map((of) => [of.session, of.detail ?? of.outcome]));
  };

  const onlyOf = (session: string, change: (line: string) => string) => (lines: string[]) =>
    lines.map((line) => (line.includes(`"session_id":"${session}"`) ? change(line) : line));

  it('is seen by the hashes recomputed from the records', async () => {
    const told = await refusesBoth(
      'raw_jobs',
      onlyOf('a1', (line) => line.replace('Well?', 'Hmm?')),
    );
    expect(told['a1']).toMatch(
      /^jsonl: the content of version 1 of job \S+ in raw_jobs is not what/,
    );
    expect(told['a2']).toBe('deleted');
  });

  it('is seen where a row is missing, doubled or strange', async () => {
    const isOf = (session: string) => (line: string) => line.includes(`"session_id":"${session}"`);
    const told = await refusesBoth('raw_jobs', (lines) => {
      const other = lines.filter(isOf('a2'));
      return [...lines.filter(isOf('a1')).slice(1), ...other, ...other.slice(0, 1)];
    });
    expect(told['a1']).toBe('jsonl: raw_jobs lacks 1 job version that the log names');
    expect(told['a2']).toMatch(/holds version 1 of job \S+ twice$/);
  });

  it('is seen in the rows of sessions', async () => {
    const told = await refusesBoth('sessions', (lines) =>
      lines.filter((line) => !line.includes('"session_id":"a1"')),
    );
    expect(told).toEqual({
      a1: 'jsonl: sessions holds the newest version of the session not at all',
      a2: 'deleted',
    });
  });

  it('is seen in the rows of jobs', async () => {
    const told = await refusesBoth('jobs', (lines) =>
      lines.map((line) => line.replace(/"job_version":1/, '"job_version":2')),
    );
    expect(told['a1']).toMatch(/jobs holds version 2 of job \S+, which the log does not know$/);
  });

  it('is seen where a file that an answer points to has no stored artifact', async () => {
    const told = await refusesBoth('artifacts', () => []);
    expect(told['a1']).toMatch(
      /^jsonl: the file at answer\/0\/0 of job \S+ is not among the artifacts/,
    );
    expect(told['a2']).toBe('deleted');
  });

  it('is seen where an artifact is another than the log names, also by verify', async () => {
    await tamper('artifacts', (lines) =>
      lines.map((line) => line.replace(/"sha256":"[0-9a-f]{4}/, '"sha256":"0000')),
    );
    expect((await rig.rig.verify()).problems).toMatchObject([
      { problem: 'digest', detail: 'is in a row that has another SHA-256' },
    ]);
    const { sessions } = await rig.pruned();
    expect(sessions.find(({ session }) => session === 'a1')?.detail).toMatch(
      /^jsonl: the files of job \S+ in artifacts are not those of the log$/,
    );
    // the other one has no file
    expect(rig.deletesSent).toBe(1);
  });
});

it.each([
  { formats: ['parquet'] as const },
  { formats: ['jsonl'] as const },
  { formats: ['parquet', 'jsonl', 'xlsx'] as const },
])(
  'an archive of $formats is proven, and its deletions are kept in the same',
  async ({ formats }) => {
    await rig.rig.export({ formats });
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'deleted' });
    const extensions = (await rig.rig.parts('tables/deletions')).map((path) => path.split('.')[1]);
    expect(extensions.sort()).toEqual(formats.filter((format) => format !== 'xlsx').toSorted());
    expect((await rig.rig.verify()).problems).toEqual([]);
  },
);

it(
  'a damaged or missing file of any table gives no session away that needs it',
  fault('F-37'),
  async () => {
    await rig.rig.archived();
    const folders = await readdir(join(rig.out, 'tables'));
    for (const table of folders) {
      const [path] = await rig.rig.parts(`tables/${table}`);
      // a table without rows has only its Delta log
      if (path === undefined) continue;
      const whole = await readFile(join(rig.out, path));
      await writeFile(join(rig.out, path), whole.subarray(0, -1));
      const summary = await rig.pruned();
      expect(outcomes(summary)).toEqual({ a1: 'damaged', a2: 'damaged' });
      expect(summary.sessions[0]?.detail).toMatch(new RegExp(`^${path} has \\d+ bytes instead of`));
      await rm(join(rig.out, path));
      expect((await rig.pruned()).sessions[0]?.detail).toBe(`${path} is missing`);
      await writeFile(join(rig.out, path), whole);
    }
    expect(folders.length).toBeGreaterThan(4);
    expect(rig.deletesSent).toBe(0);
  },
);

/** As somebody does it who can write to the archive: in jobvault.json and in the log. */
const editFormats = async (formats: readonly string[]) => {
  const identity = JSON.parse(await readFile(join(rig.out, 'jobvault.json'), 'utf8')) as object;
  await writeFile(join(rig.out, 'jobvault.json'), JSON.stringify({ ...identity, formats }));
  const commit = JSON.parse(await readFile(join(rig.out, COMMIT), 'utf8')) as Commit;
  const edited = { ...commit, archive: { ...commit.archive, formats } };
  const resealed = sealCommit(unsealedSchema.strip().parse(edited));
  await writeFile(join(rig.out, COMMIT), resealed.bytes);
  await rm(join(rig.out, '_laps'), { recursive: true });
};

it.each([
  [['xlsx'], /^no rows can be read back of what is kept as xlsx alone$/],
  [['jsonl'], /\.parquet is in none of the formats that jobvault\.json names \(jsonl\)$/],
])(
  'an archive whose formats were edited to %j gives no session away',
  fault('F-56'),
  async (formats, detail) => {
    rig.addSession('ann', 'empty', { jobs: 0 });
    await rig.rig.archived();
    await editFormats(formats);
    rig.rig.clock.ahead = 25 * 3_600_000; // an empty history settles in a day
    const { sessions } = await rig.pruned();
    expect(sessions.map(({ reason }) => reason)).toEqual(['rows', 'rows', 'rows']);
    expect(sessions[0]?.detail).toMatch(detail);
    expect(rig.deletesSent).toBe(0);
  },
);

it('an archive with a broken log is refused as a whole', async () => {
  await rig.rig.archived();
  const bytes = await readFile(join(rig.out, COMMIT));
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  await writeFile(join(rig.out, COMMIT), bytes);
  const { error } = await rig.prune();
  expect(error).toMatchObject({ failure: 'integrity' });
  expect(rig.deletesSent).toBe(0);
});

it('an archive holds all versions of a job, and all of them are proven', async () => {
  await rig.rig.archived();
  const [job = ''] = rig.state.jobIds('ann', 'a1');
  rig.state.growAnswer('ann', 'a1', job, 'and more');
  await rig.rig.export({ full: true });
  expect(await rig.rig.rows('raw_jobs')).toHaveLength(5);
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'deleted' });
});
