/** What verify says of snapshots that differ from the log, of those that only look different, and of several at once. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { commitPath, snapshotPath } from '../../../../src/archive/paths.js';
import {
  storedSnapshots,
  storedStates,
} from '../../../../src/archive/snapshots/snapshot-reader.js';
import { verifyArchive, type VerifyOptions } from '../../../../src/archive/verify/verify.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { ObjectNotFoundError, StorageError } from '../../../../src/storage/storage-errors.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { archiveOfThree } from '../../../support/store/begun-erasure.js';
import { archiveOfMuch, forge } from '../../../support/store/forged-snapshots.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { newestSnapshot, snapshotOf } from '../../../support/store/snapshots.js';

const DIFFERS = 'differs from what the log gives';

async function told(archive: Archive, over: Partial<Storage> = {}) {
  const { problems, notes, snapshots } = await verifyArchive(
    reopened(archive, { ...archive.storage, ...over }),
  );
  return { problems, notes: notes.map(({ path }) => path), snapshots };
}
const SOUND = { problems: [], notes: [], snapshots: 1 };

/** The n-th line. */
const inLine = (n: number, change: (line: string) => string) => (text: string) =>
  text
    .split('\n')
    .map((line, at) => (at === n ? change(line) : line))
    .join('\n');
/** JSON with the members of its object in another order, and blanks between them. */
const reordered = (line: string): string => {
  const members = Object.entries(JSON.parse(line) as object).reverse();
  return JSON.stringify(Object.fromEntries(members)).replaceAll('":', '": ');
};

describe('a snapshot is as the log gives it', () => {
  it.each([
    ['the first line', 0],
    ['the line of a user', 1],
    ['the line of the second user', 2],
    ['the last line', 4],
  ])('where %s only has its members in another order', async (_, line) => {
    const { archive } = await archiveOfMuch();
    await forge(archive, (text) => {
      const changed = inLine(line, reordered)(text);
      expect(changed).not.toBe(text);
      return changed;
    });
    expect(await told(archive)).toEqual(SOUND);
  });

  it('a snapshot of more users than are kept at first is as the log gives it', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const users = Array.from({ length: 1100 }, (_, at) => userEntry(`user ${at}`));
    await archive.log.append(draft({ users, sessions: [session('user 1050', 'a')] }));
    await archive.index.refresh();
    await snapshotOf(archive);
    expect(await told(archive)).toEqual(SOUND);
    const path = await forge(archive, (text) =>
      text.replace(/"user 1040","commits":\[\]/, '$&,"x":1'),
    );
    const { problems } = await told(archive);
    expect(problems).toEqual([{ path, problem: 'state', detail: DIFFERS }]);
  });
});

describe('a snapshot differs from the log', () => {
  const stateOf = /"state":\[0,0\]/;
  const sessionsOf = /"sessions":\[0,0\]/;
  it.each<[string, (text: string) => string]>([
    ['without its first line', inLine(0, () => '{}')],
    ['with a salt that is none', inLine(0, (line) => line.replace(/"salt":"[^"]+"/, '"salt":1'))],
    [
      'with another first line',
      inLine(0, (line) => line.replace('"reason":"law"', '"reason":"x"')),
    ],
    ['with a line of a user that is no JSON', inLine(2, (line) => line.slice(1))],
    ['with a line of a user that is not one', inLine(2, () => '{}')],
    ['with a last line that is no JSON', inLine(4, () => '}')],
    ['with a last line without states', inLine(4, () => '{"states":[{}]}')],
    ['with a last line without sessions', inLine(4, (line) => line.replace(/,"sessions".*/, '}'))],
    ['with a last line that is no object', inLine(4, () => 'null')],
    ['with a line too many', (text) => text.replace(/\n(\{"user":"w".*\n)/, '\n$1$1')],
    ['without the end of its last line', (text) => text.slice(0, -1)],
    ['without the state of a user who has one', (text) => text.replace(stateOf, '"state":null')],
    [
      'with a state of a user who has none',
      (text) => text.replace(/("user":"w".*)"state":null/, '$1"state":[0,0]'),
    ],
    [
      'with a state in a part that it does not name',
      (text) => text.replace(stateOf, '"state":[7,0]'),
    ],
    ['with a state after the end of a part', (text) => text.replace(stateOf, '"state":[0,2]')],
    ['with a line of its last user that is no JSON', inLine(3, (line) => line.slice(1))],
    ['with another commit of a user', (text) => text.replace(/("user":"v","commits":\[)/, '$12,')],
    ['without the sessions of a user', (text) => text.replace(sessionsOf, '"sessions":null')],
    ['with sessions of another user', (text) => text.replace(sessionsOf, '"sessions":[0,1]')],
    ['with sessions after the end', (text) => text.replace(sessionsOf, '"sessions":[0,2]')],
  ])('%s', async (_, change) => {
    const { archive } = await archiveOfMuch();
    const path = await forge(archive, (text) => {
      expect(change(text)).not.toBe(text);
      return change(text);
    });
    const problems = [{ path, problem: 'state', detail: DIFFERS }];
    expect(await told(archive)).toEqual({ problems, notes: [], snapshots: 1 });
  });

  it('where it is no gzip at all, although a commit names it with its digest', async () => {
    const { archive, storage } = await archiveOfMuch();
    const bytes = Buffer.from('no gzip');
    const path = snapshotPath(7, 'F'.repeat(26));
    await storage.put(path, bytes);
    const named = { bytes: bytes.length, sha256: sha256Hex(bytes), sessions_bytes: 0 };
    const snapshot = { path, through: 7, ...named };
    await archive.log.append(draft({ kind: 'snapshot', base: 7, run: runOf('F'), snapshot }));
    const { problems } = await told(archive);
    expect(problems).toEqual([{ path, problem: 'state', detail: DIFFERS }]);
  });
});

describe('verify of a sample', () => {
  it('compares no snapshot with the log, reads no older manifest, and tells both', async () => {
    const { archive, storage } = await archiveOfMuch();
    await forge(archive, (text) => text.replace(/("user":"v","commits":\[)/, '$12,'));
    const older = [...storage.place.objects.keys()].filter((path) =>
      path.endsWith('users.jsonl.gz'),
    );
    const [path = ''] = older;
    const bytes = await storage.get(path);
    await storage.put(path, Buffer.alloc(bytes.length));
    const verified = (options: VerifyOptions) => verifyArchive(reopened(archive), options);
    const whole = await verified({ slice: { nth: 1, of: 30 } });
    expect(whole.problems.map((problem) => problem.path)).toContain(path);
    expect(whole.leftOut).toEqual({ manifests: 0, snapshots: 0 });
    const sampled = await verified({ sample: 1e-9 });
    expect(sampled.problems).toEqual([]);
    expect(sampled.leftOut).toEqual({ manifests: 4, snapshots: 1 });
    await storage.put(path, bytes.subarray(1));
    expect((await verified({ sample: 1e-9 })).problems).toMatchObject([{ path, problem: 'size' }]);
  });

  it('reads the manifests of the newest commit', async () => {
    const { archive } = await archiveOfThree();
    const { log, storage } = archive;
    const base = archive.index.through;
    const newest = await log.append(draft({ base, run: runOf('Z'), users: [userEntry('w')] }));
    const { path = '' } = newest.users ?? {};
    const { length } = await storage.get(path);
    await storage.put(path, Buffer.alloc(length));
    const { problems } = await verifyArchive(reopened(archive), { sample: 1e-9 });
    expect(problems).toMatchObject([{ path, problem: 'digest' }]);
  });
});

describe('of several snapshots', () => {
  /** The first one is of seven commits, the second one of nine. */
  async function two(changes: readonly ((text: string) => string)[]) {
    const { archive, storage } = await archiveOfMuch();
    const [first = same, second = same] = changes;
    const paths = [await forge(archive, first)];
    const more = { sessions: [session('u', 'b', { version: 2 })], users: [userEntry('w')] };
    await archive.log.append(draft({ base: 8, run: runOf('Q'), ...more }));
    await archive.index.refresh();
    paths.push(await forge(archive, second));
    return { archive, storage, paths };
  }
  const same = (text: string): string => text;
  const sessionless = (text: string): string => text.replace('"sessions":[0,0]', '"sessions":null');

  it('each is compared as far as it goes, and both are counted', async () => {
    const { archive } = await archiveOfMuch();
    await snapshotOf(archive);
    const more = { sessions: [session('u', 'b', { version: 2 }), session('y', 'e')] };
    await archive.log.append(draft({ base: 8, run: runOf('Q'), ...more }));
    await archive.index.refresh();
    await snapshotOf(archive);
    expect(await told(archive)).toEqual({ problems: [], notes: [], snapshots: 2 });
  });

  it('only that is told which differs: the older one', async () => {
    const { archive } = await archiveOfMuch();
    const path = await forge(archive, same, ['', ''], ['"a",[1],null,1', '"a",[1],null,2']);
    const more = { sessions: [session('u', 'b', { version: 2 }), session('y', 'e')] };
    await archive.log.append(draft({ base: 8, run: runOf('Q'), ...more }));
    await archive.index.refresh();
    await snapshotOf(archive);
    const problems = [{ path, problem: 'state', detail: DIFFERS }];
    expect(await told(archive)).toEqual({ problems, notes: [], snapshots: 2 });
  });

  it('only that is told which differs: the newer one', async () => {
    const { archive, paths } = await two([same, sessionless]);
    const problems = [{ path: paths[1], problem: 'state', detail: DIFFERS }];
    expect(await told(archive)).toMatchObject({ problems, snapshots: 2 });
  });
  it('a state elsewhere than in the snapshot before is compared, though its user is the same', async () => {
    const stateOfV = /("user":"v".*"state":)\[0,1\]/;
    const { archive, paths } = await two([same, (text) => text.replace(stateOfV, '$1[0,0]')]);
    expect(paths).toHaveLength(2);
    expect((await told(archive)).problems).toMatchObject([{ problem: 'state', detail: DIFFERS }]);
  });

  it('a state where it was in the snapshot before is compared, though its user has changed', async () => {
    let states = '';
    const lastOf = (text: string) => /^\{"states.*$/m.exec(text)?.[0] ?? '';
    const [first, second] = [
      (text: string) => ((states = lastOf(text)), text),
      (text: string) => text.replace(lastOf(text), states),
    ];
    const { archive } = await two([first, second]);
    expect(states).not.toBe('');
    expect((await told(archive)).problems).toMatchObject([{ problem: 'state', detail: DIFFERS }]);
  });
});

describe('a snapshot is passed over', () => {
  it('with a note where its bytes are others, and as many', async () => {
    const { archive, storage } = await archiveOfMuch();
    await snapshotOf(archive);
    const path = await newestSnapshot(archive);
    const bytes = Buffer.from(await storage.get(path));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await storage.put(path, bytes);
    expect(await told(archive)).toEqual({ problems: [], notes: [path], snapshots: 1 });
  });

  it('once it was found to be sound, when something else is looked at again', async () => {
    const { archive, storage } = await archiveOfMuch();
    await snapshotOf(archive);
    const path = await newestSnapshot(archive);
    const damaged = [...storage.place.objects.keys()].find((one) => one.startsWith('artifacts/'));
    await storage.put(damaged ?? '', Buffer.from('A FILE'));
    let [isListed, reads] = [false, 0];
    const list: Storage['list'] = async function* (prefix, options) {
      if (prefix === '' && !isListed) {
        isListed = true;
        await reopened(archive).log.append(draft({ base: 8, run: runOf('Q') }));
      }
      yield* storage.list(prefix, options);
    };
    const get = (of: string) => {
      if (of === path) reads++;
      return storage.get(of);
    };
    const { problems } = await told(archive, { list, get });
    expect(problems).toMatchObject([{ path: damaged, problem: 'digest' }]);
    expect([isListed, reads]).toEqual([true, 1]);
  });

  it('where a run has removed it since it was listed', async () => {
    const { archive, storage } = await archiveOfMuch();
    await snapshotOf(archive);
    const path = await newestSnapshot(archive);
    const get = (of: string) =>
      of === path ? Promise.reject(new ObjectNotFoundError(of)) : storage.get(of);
    expect(await told(archive, { get })).toEqual(SOUND);
  });

  it('where the run has put its commit since the log was read', async () => {
    const { archive, storage } = await archiveOfMuch();
    const path = snapshotPath(8, 'X'.repeat(26));
    await storage.put(path, gzipSync('x\n'));
    let [isListed, passes] = [false, 0];
    const list: Storage['list'] = async function* (prefix, options) {
      if (prefix === '') passes++;
      if (prefix === '' && !isListed) {
        isListed = true;
        await reopened(archive).log.append(draft({ base: 7, run: runOf('Q') }));
      }
      yield* storage.list(prefix, options);
    };
    expect(await told(archive, { list })).toEqual(SOUND);
    expect(await storage.stat(commitPath(8))).toBeDefined();
    // what was found would be looked at once more
    expect(passes).toBe(1);
  });

  it('with a note where it, or its states, are from before an erasure', async () => {
    const { archive, storage } = await archiveOfThree();
    await snapshotOf(archive);
    const old = [await newestSnapshot(archive), (await storedStates(storage))[0]?.path ?? ''];
    const bytes = await Promise.all(old.map((path) => storage.get(path)));
    await erased(archive);
    for (const [at, path] of old.entries()) await storage.put(path, bytes[at] ?? Buffer.of());
    const { problems, notes } = await told(archive);
    expect(problems).toEqual([]);
    expect(notes).toEqual(old.toSorted());
    expect((await storedSnapshots(storage)).length).toBe(2);
  });

  it('where the log that it would be compared with is damaged', async () => {
    const { archive, storage } = await archiveOfMuch();
    const path = await forge(archive, (text) =>
      text.replace('"sessions":[0,0]', '"sessions":null'),
    );
    await storage.put(commitPath(4), Buffer.from('{}'));
    const { problems } = await told(archive);
    expect(problems).not.toEqual([]);
    expect(problems.map((one) => one.path)).not.toContain(path);
  });
});

it('states are compared once for both snapshots that name them', async () => {
  const { archive, storage } = await archiveOfMuch();
  const path = await forge(archive, String, ['"hash":"h', '"hash":"x']);
  expect(path).not.toBe('');
  const { problems } = await told(archive);
  expect(problems).toEqual([
    { path: (await storedStates(storage))[0]?.path, problem: 'state', detail: DIFFERS },
  ]);
});

it('states that cannot be read end the check', async () => {
  const { archive, storage } = await archiveOfMuch();
  await snapshotOf(archive);
  const path = (await storedStates(storage))[0]?.path;
  const get = (of: string) =>
    of === path ? Promise.reject(new StorageError('no permission')) : storage.get(of);
  await expect(told(archive, { get })).rejects.toThrow('no permission');
});

describe('what a snapshot would be compared with', () => {
  async function archiveWithList(kind: string) {
    const { archive, storage } = await archiveOfMuch();
    await snapshotOf(archive);
    const paths = [...storage.place.objects.keys()];
    const path = paths.find((one) => one.endsWith(`.${kind}.jsonl.gz`)) ?? '';
    return { archive, storage, path };
  }

  it.each(['jobs', 'users'])(
    'the list of %s is damaged, which is told as that, and not of the snapshot',
    async (kind) => {
      const { archive, storage, path } = await archiveWithList(kind);
      await storage.put(path, Buffer.from('damaged'));
      const { problems } = await told(archive);
      expect(problems).toMatchObject([{ path, problem: 'size' }]);
    },
  );
});

it('states of every user are compared', async () => {
  const { archive, storage } = await archiveOfMuch();
  await snapshotOf(archive);
  const [part] = await storedStates(storage);
  const lines = gunzipSync(await storage.get(part?.path ?? ''))
    .toString()
    .split('\n');
  for (const [at, line] of lines.slice(0, -1).entries()) {
    const one = await archiveOfMuch();
    await forge(one.archive, String, [line, line.replace('{', '{"x":1,')]);
    const { problems } = await told(one.archive);
    expect({ at, problems }).toMatchObject({ at, problems: [{ problem: 'state' }] });
  }
  expect(lines.length).toBe(3);
});
