/** A drill is a commit: of counts, signed as every other, and never of what was erased meanwhile. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openArchiveIn as openRead } from '../../../src/archive/open-archive.js';
import { sealCommit } from '../../../src/archive/log/commit-reader.js';
import { unsealedSchema, type Unsealed } from '../../../src/archive/log/commit.js';
import { commitPath } from '../../../src/archive/paths.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { openArchive, UsageError } from '../../../src/index.js';
import { drill, type DrillReport } from '../../../src/restore/drill.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { draft, runOf } from '../../support/store/archive-samples.js';

vi.setConfig({ testTimeout: 120_000 });

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 2 });
});
afterEach(() => rig[Symbol.asyncDispose]());

const path = (name: string): string => join(rig.directory, name);

it('A drill of a signed archive is signed, and one without the key is told and not recorded', async () => {
  const { privateKey, publicKey } = ed25519Pair();
  await writeFile(path('key.pem'), privateKey, { mode: 0o600 });
  await writeFile(path('public.pem'), publicKey);
  await rig.export({ signer: startingSigner(privateKey) });
  const keyless = await cli(['drill', rig.out]);
  expect(keyless.exitCode).toBe(0);
  expect(keyless.stderr).toMatch(/the drill is not recorded in the log: .*--signing-key/);
  expect(keyless.stdout).toMatch(
    /^\S+Z: .* was restored from itself: .*; not recorded in the log\n$/,
  );
  expect((await cliJson<ArchiveStatus>(['status', rig.out])).last_drill).toBeNull();
  const { exitCode } = await cli(['drill', rig.out, '--signing-key', path('key.pem')]);
  expect(exitCode).toBe(0);
  expect((await cliJson<ArchiveStatus>(['status', rig.out])).last_drill).toMatchObject({
    commit: 1,
    differences: 0,
  });
  const verify = ['verify', rig.out, '--public-key', path('public.pem')];
  expect((await cli(verify)).exitCode).toBe(0);
  // somebody without the key writes a drill that never was
  const archive = await openRead(await openStorage(rig.out));
  const newest = await archive.log.read(2);
  const keys = Object.keys(unsealedSchema.shape).filter((key) => key in newest);
  const told = Object.fromEntries(keys.map((key) => [key, Reflect.get(newest, key)])) as Unsealed;
  const { digest: previous } = newest;
  const forged = { ...told, number: 3, previous, nonce: '0'.repeat(32) };
  await writeFile(join(rig.out, commitPath(3)), sealCommit(forged).bytes);
  expect((await cli(verify)).exitCode).toBe(4);
});

// I-53 in FORMAT.md
it('An altered drill, or one of a commit that was not yet there, is damage of the log', async () => {
  await rig.archived();
  expect((await cli(['drill', rig.out])).exitCode).toBe(0);
  const commit = join(rig.out, commitPath(2));
  const text = await readFile(commit, 'utf8');
  for (const [from, to] of [
    ['"differences": 0', '"differences": 1'],
    ['"commit": 1', '"commit": 2'],
  ] as const) {
    await writeFile(commit, text.replace(from, to));
    expect((await cli(['verify', rig.out])).exitCode, to).toBe(4);
  }
  await writeFile(commit, text);
  const { log } = await rig.open();
  const counts = { sessions: 1, jobs: 1, rows: 1, files: 0, not_stored: 0, differences: 0 };
  const future = log.append(draft({ kind: 'drill', drill: { commit: 3, sample: 1, ...counts } }));
  await expect(future).rejects.toThrow('a commit that was not yet there');
  await expect(log.append(draft({ kind: 'drill' }))).rejects.toThrow('it has no drill');
});

it('A drill that found differences is told by status until one of all sessions has found none', async () => {
  await rig.archived();
  const { log } = await rig.open();
  const counts = { commit: 1, sessions: 4, jobs: 8, rows: 99, files: 0, not_stored: 0 };
  const add = (sample: number, differences: number) =>
    log.append(
      draft({ kind: 'drill', run: runOf('D'), drill: { ...counts, sample, differences } }),
    );
  const told = async () => (await cli(['status', rig.out])).stdout;
  await add(1, 3);
  expect(await told()).toMatch(/last drill .*commit 1\): 3 differences\n/);
  await add(0.01, 0);
  expect(await told()).toMatch(
    /last drill .*1 % of the conversations\): all came back; 3 differences on \d{4}-\d\d-\d\d, and no drill of all conversations since/,
  );
  await add(1, 0);
  expect(await told()).toMatch(/last drill .*commit 1\): all came back\n/);
});

it('A drill whose scratch place is too small is refused before anything is written there', async () => {
  await rig.archived();
  const { log } = await rig.open();
  const bytes = 2 ** 52;
  await log.append(draft({ base: 1, artifacts: { count: 1, bytes } }));
  await mkdir(path('scratch'));
  const { exitCode, stderr } = await cli(['drill', rig.out, '--scratch', path('scratch')]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/needs about 4503\.6 TB of scratch space, and .*scratch has .*--sample/);
  expect(await readdir(path('scratch'))).toEqual([]);
  await using archive = await openArchive(rig.out);
  await expect(archive.drill({ sample: 0.5 })).rejects.toThrow('about 2251.8 TB');
  await expect(archive.drill({ sample: 0.5 })).rejects.toThrow(UsageError);
});

it('a drill in a read-only archive says what came back, and why it is not recorded', async () => {
  await rig.archived();
  const refusing = refuseCommits(await openStorage(rig.out), () =>
    Promise.reject(new Error('read-only')),
  );
  const report = await drillOf(refusing);
  expect(report).toMatchObject({ sessions: 4, differences: 0, unrecorded: 'read-only' });
});

it.each(['while rows are read', 'right before it is recorded'])(
  'A drill begins again when somebody is erased %s, and its record has nothing of them',
  async (when) => {
    await rig.archived();
    const [erased = ''] = rig.state.userIds();
    let isErased = false;
    const erase = async () => {
      if (isErased) return;
      isErased = true;
      await using archive = await openArchive(rig.out);
      await archive.erase({ users: [erased] });
    };
    const storage = await openStorage(rig.out);
    const report = await drillOf(
      when === 'while rows are read' ? beforeRead(storage, erase) : refuseCommits(storage, erase),
    );
    expect(isErased).toBe(true);
    expect(report).toMatchObject({ sessions: 2, differences: 0, unrecorded: null });
    const { head, last_drill } = await cliJson<ArchiveStatus>(['status', rig.out]);
    expect(last_drill).toMatchObject({ commit: 3, sessions: 2 });
    expect(head?.number).toBe(4);
  },
);

async function drillOf(storage: Storage): Promise<DrillReport> {
  const archive = await openRead(storage);
  return drill({ archive, signal: new AbortController().signal });
}

/** Calls `before` whenever a commit is about to be put. */
function refuseCommits(storage: Storage, before: () => Promise<void>): Storage {
  const putIfAbsent: Storage['putIfAbsent'] = async (at, bytes) => {
    if (at.startsWith('_commits/')) await before();
    return storage.putIfAbsent(at, bytes);
  };
  return overridden(storage, { putIfAbsent });
}

/** Calls `before` whenever a part file is about to be read. */
function beforeRead(storage: Storage, before: () => Promise<void>): Storage {
  const read: Storage['read'] = async function* (at, range) {
    if (at.startsWith('tables/raw_jobs')) await before();
    yield* storage.read(at, range);
  };
  return overridden(storage, { read });
}

function overridden(storage: Storage, methods: Partial<Storage>): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const value: unknown =
        name in methods ? Reflect.get(methods, name) : Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
