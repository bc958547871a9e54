/** Bounds of times in part files tell of the erased where their rows are gone: what a redacted commit says of them, and what else it says. */
import { describe, expect, it } from 'vitest';
import { ErasureTarget } from '../../../../src/archive/erasing/erasure-target.js';
import { LogRedaction } from '../../../../src/archive/erasing/redact-log.js';
import { redactCommit } from '../../../../src/archive/erasing/redact-commit.js';
import { decodeCommit } from '../../../../src/archive/log/commit-reader.js';
import type {
  AcceptedEntry,
  Commit,
  FileEntry,
  HoldEntry,
  RequestEntry,
} from '../../../../src/archive/log/commit.js';
import { partPath, redactedPath } from '../../../../src/archive/paths.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  begunReceipt,
  deletionEntry,
  draft,
  makeArchive,
  NO_JOB,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const CREATED = [1_767_225_600_000_000, 1_767_312_000_000_000] as const;
const part = (table: string, run: string, n: number, extension = 'parquet'): FileEntry => ({
  path: partPath(table, '2026-11-05', runOf(run), n, extension),
  ...{ table, rows: 1, bytes: 1, sha256: 'a'.repeat(64), schema: 'x', created: CREATED },
});
const bare = (file: FileEntry): FileEntry => ({ ...file, created: null });

const sealed = await (await makeArchive(createMemoryStorage())).log.append(draft());
const commit = (over: Partial<Commit>): Commit => ({ ...sealed, scope: {}, ...over });
const ann = (): ErasureTarget => {
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  target.learn(commit({ sessions: [session('ann', 'a1')] }));
  return target;
};
const redacted = (over: Partial<Commit>, bounds?: (number: number, file: FileEntry) => boolean) => {
  const whole = commit(over);
  const target = ann();
  target.learn(whole);
  return redactCommit(whole, { target, ...(bounds && { bounds }) }, false);
};

const [one, two] = [part('jobs', 'A', 1), part('jobs', 'A', 2)];
const isOne = (_: number, { path }: FileEntry) => path === one.path;

it('bounds in a redacted commit go where they may tell of the erased, and no others', () => {
  const files = [one, two, bare(one)];
  const left = redacted({ files, sessions: [session('ann', 'a1')] }, isOne);
  expect(left?.files).toEqual([bare(one), two, bare(one)]);
});

it('bounds in a redacted commit are asked for by its number, and stay where nobody asks', () => {
  const about = { number: 7, files: [one], sessions: [session('ann', 'a1')] };
  expect(redacted(about, (number) => number === 7)?.files).toEqual([bare(one)]);
  expect(redacted(about, (number) => number !== 7)?.files).toEqual([one]);
  expect(redacted(about)?.files).toEqual([one]);
});

it('bounds in a commit go with a rewrite that names nobody, and stay in one about others', () => {
  const files = [one, two];
  expect(redacted({ kind: 'export', files }, isOne)).toBeUndefined();
  for (const kind of ['compact', 'erase'] as const) {
    expect(redacted({ kind, files }, isOne)?.files).toEqual([bare(one), two]);
    expect(redacted({ kind, files: [bare(one), two] }, isOne)).toBeUndefined();
  }
});

describe('what a search looked for goes', () => {
  const scope = { search: 'salary' };
  const of = { user: asUserId('ann'), session: asSessionId('a1') };
  const gap = { ...NO_JOB, status: 'failed', id: 'C'.repeat(26), by: 'me', reason: 'fine' };
  const accepted = { ...gap, ...of, action: 'accept' } as AcceptedEntry;
  const hold = { action: 'add', id: 'H'.repeat(26), ...of, reason: 'x', by: 'y' } as HoldEntry;

  it.each<[string, Partial<Commit>]>([
    ['a deletion', { deletions: [deletionEntry('ann', 'a1')] }],
    ['an accepted gap', { accepted: [accepted] }],
  ])('with %s of theirs', (_, over) => {
    expect(redacted({ ...over, scope })?.scope).toEqual({ search: '[erased]' });
  });

  it('with a hold on them, and not with one on others', () => {
    const target = ann();
    const since = '2026-11-05T12:00:00.000Z';
    target.learnHolds([{ ...hold, request: null, since, commit: 3, release: null } as never], []);
    const of = (holds: HoldEntry[]) => redactCommit(commit({ holds, scope }), { target }, false);
    expect(of([hold])?.scope).toEqual({ search: '[erased]' });
    const other = { ...hold, id: 'K'.repeat(26), user: asUserId('ben') } as HoldEntry;
    expect(of([other, hold])?.scope).toEqual({ search: '[erased]' });
    expect(
      of([{ ...hold, id: 'J'.repeat(26), user: asUserId('ben') } as HoldEntry]),
    ).toBeUndefined();
  });
});

it('a deletion of somebody else stays, and what was searched for beside a list naming them', () => {
  const deletions = [deletionEntry('ann', 'a1'), deletionEntry('ben', 'b1')];
  expect(redacted({ deletions })?.deletions).toEqual([deletions[1]]);
  const scope = { search: 'sales', user: 'ann' };
  expect(redacted({ scope })?.scope).toEqual({ search: 'sales', user: '[erased]' });
});

it('a hold on a session of theirs is one on a session that nobody has, and on no user', () => {
  const target = ann();
  const hold = { id: 'H'.repeat(26), user: null, session: asSessionId('a1'), reason: 'x', by: 'y' };
  const since = '2026-11-05T12:00:00.000Z';
  target.learnHolds([{ ...hold, request: null, since, commit: 3, release: null }], []);
  const holds = [{ ...hold, action: 'add' } as HoldEntry];
  const left = redactCommit(commit({ holds }), { target }, false);
  expect(left?.holds).toEqual([{ ...holds[0], user: null, session: '[erased]' }]);
});

it('an accepted doubt of another does not say that it shares jobs with a session of theirs', () => {
  const doubt = (other: string) =>
    ({
      ...{ ...NO_JOB, status: 'doubtful', id: 'C'.repeat(26), by: 'me', reason: 'fine' },
      ...{ user: asUserId('ben'), session: asSessionId('b1'), action: 'accept' },
      shared_with: asSessionId(other),
    }) as AcceptedEntry;
  const left = redacted({ accepted: [doubt('a1'), doubt('c1')] });
  expect(left?.accepted).toEqual([{ ...doubt('a1'), shared_with: '[erased]' }, doubt('c1')]);
});

const id = '01J00000000000000000000009';
const pack = { action: 'pack', id, by: 'ann', digest: 'd'.repeat(64) } as unknown as RequestEntry;
const search = { action: 'search', id, by: 'Dana', match: null } as unknown as RequestEntry;

it('work for a request loses the name of who did it where that names them, and nothing else', () => {
  expect(redacted({ requests: [pack] })?.requests).toEqual([{ ...pack, by: '[erased]' }]);
  expect(redacted({ requests: [{ ...pack, by: 'Dana' }] })).toBeUndefined();
  const close = { action: 'close', id, reason: 'done', by: 'ann' } as RequestEntry;
  expect(redacted({ requests: [close] })?.requests).toEqual([{ ...close, by: '[erased]' }]);
});

it('work for a request has no words where there were none, also for a request about them', () => {
  const asked = {
    ...{ action: 'new', id, name: 'Matter 7', reason: 'x', by: 'ann', match: null, in: null },
    ...{ users: [asUserId('ann')], sessions: [], from: null, to: null },
  } as RequestEntry;
  expect(redacted({ requests: [asked, search] })?.requests).toEqual([
    { ...asked, by: '[erased]', users: ['[erased]'] },
    search,
  ]);
});

it('what was written for an erasure that had no receipt stays as it is', () => {
  const erasure = { stage: 'finished', id: runOf('E') } as unknown as Commit['erasure'];
  expect(redacted({ erasure })).toBeUndefined();
});

/** A commit about ann with files, of which some were replaced since, and one about others. */
async function boundsAfter(removed: readonly string[], change?: Partial<Commit>) {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const names = ['jobs', 'blocks'].flatMap((table) => [1, 2].map((n) => part(table, 'A', n)));
  const files = [...names, part('jobs', 'A', 3, 'jsonl')];
  await archive.log.append(draft({ files, sessions: [session('ann', 'a1')] }));
  const bens = [part('jobs', 'B', 1)];
  await archive.log.append(
    draft({ base: 1, run: runOf('B'), files: bens, sessions: [session('ben', 'b1')] }),
  );
  if (change) await archive.log.append(draft({ base: 2, run: runOf('C'), ...(change as object) }));
  await archive.index.refresh();
  const receipt = archive.index.through + 1;
  const target = ann();
  const redaction = { target, removed };
  await new LogRedaction(archive, runOf('E'), redaction).prepare(receipt);
  const written = storage.place.objects;
  const without = [1, 2, 3].flatMap((number) => {
    const bytes = written.get(redactedPath(runOf('E'), number));
    return bytes ? decodeCommit(number, bytes).files.filter((file) => !file.created) : [];
  });
  return without.map(({ path }) => path);
}
const [first, second] = [part('jobs', 'A', 1).path, part('jobs', 'A', 2).path];

it('bounds go for a file that this erasure removes, and stay for files still there', async () => {
  expect(await boundsAfter([first])).toEqual([first]);
});

it('bounds of part files that commits of the log name stay where no row of the table is erased', async () => {
  expect(await boundsAfter([])).toEqual([]);
  expect(await boundsAfter([part('jobs', 'A', 3, 'jsonl').path])).toEqual([]);
});

it('bounds go for a file that a compaction removed, once rows of its table are erased', async () => {
  const compaction = { removed: [second, part('blocks', 'A', 1).path] };
  expect(await boundsAfter([first], compaction)).toEqual([first, second]);
  expect(await boundsAfter([], compaction)).toEqual([]);
});

it('bounds go for a file of which an earlier erasure took rows, if its commit was before', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const [early, late] = [part('jobs', 'A', 1), part('jobs', 'B', 1)];
  const left = part('jobs', 'D', 1);
  let base = 0;
  const append = (of: object) => archive.log.append(draft({ base: base++, ...of }));
  await append({ files: [early], sessions: [session('ann', 'a1')] });
  const counts = { sessions: 0, jobs: 1, artifacts: 0, artifact_bytes: 0 };
  const erased = { ...counts, rows: { jobs: 1 } };
  const erasure = () => Promise.resolve(begunReceipt({ id: runOf('D'), erased }));
  const [files, removed] = [[left], [early.path]];
  await append({ kind: 'erase', run: runOf('D'), files, removed, erasure });
  await append({ run: runOf('B'), files: [late], sessions: [session('ann', 'a2')] });
  await append({ kind: 'compact', run: runOf('C'), removed: [late.path, left.path] });
  await archive.index.refresh();
  const redaction = { target: ann() };
  await new LogRedaction(archive, runOf('E'), redaction).prepare(5);
  const filesOf = (number: number) =>
    decodeCommit(number, storage.place.objects.get(redactedPath(runOf('E'), number)) ?? Buffer.of())
      .files;
  expect([filesOf(1), filesOf(3)]).toEqual([[bare(early)], [late]]);
  expect(storage.place.objects.has(redactedPath(runOf('E'), 2))).toBe(false);
});

it('a list of users that names only them is not written again', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  await archive.log.append(draft({ users: [userEntry('ann')] }));
  await archive.index.refresh();
  const redaction = new LogRedaction(archive, runOf('E'), { target: ann() });
  const { vouched, plan } = await redaction.prepare(2);
  expect(vouched).toMatchObject([{ number: 1, users_sha256: null }]);
  const { users } = await archive.log.read(1);
  expect(plan).toMatchObject([{ number: 1, users: null, oldUsers: users?.path }]);
  expect(storage.place.staged.size).toBe(0);
});
