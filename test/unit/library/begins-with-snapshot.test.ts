import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { CallContext } from '../../../src/library/call-context.js';
import { OpenArchive } from '../../../src/library/open-archive.js';
import {
  draft,
  makeArchive,
  NO_JOB,
  reopened,
  runOf,
  session,
  userEntry,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { snapshotOf } from '../../support/store/snapshots.js';

const said = { reason: 'law', by: 'me' };
const request = { name: 'Matter 7', ...said, users: ['ann'], match: 'rome' };

/** Three commits, a snapshot of them, and one more that names it. */
async function withSnapshot() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const gaps = [{ ...NO_JOB, status: 'missing', reason: 'r' }];
  const ann = { sessions: [session('ann', 's', { gaps, complete: false })] };
  await archive.log.append(draft({ ...ann, users: [userEntry('ann')] }));
  const open = new OpenArchive(contextOf(archive));
  await open.newRequest(request);
  await open.hold({ users: ['ann'], ...said, known: true } as never);
  await archive.index.refresh();
  await snapshotOf(archive, { run: runOf('S') });
  const read = new Set<string>();
  const get = (path: string) => {
    read.add(path);
    return storage.get(path);
  };
  const watched = new OpenArchive(contextOf(reopened(archive, { ...storage, get }, 9)));
  return { watched, read };
}

function contextOf(archive: Archive): CallContext {
  return new CallContext(archive, new AbortController().signal, {});
}

// I-58 in FORMAT.md: nothing is deleted on their word
describe('begins with the newest snapshot', () => {
  it.each<[string, (archive: OpenArchive) => Promise<unknown>]>([
    ['the list of files', (archive) => archive.files('jobs')],
    ['the list of holds', (archive) => archive.holds()],
    ['the list of requests', (archive) => archive.requests()],
    ['a request', (archive) => archive.request('Matter 7')],
    ['the list of erasures', (archive) => archive.erasures()],
    ['the list of gaps', (archive) => archive.gaps()],
    ['the list of changes since the newest commit', (archive) => archive.changes({ since: 4 })],
    ['a hold', (archive) => archive.hold({ sessions: ['s'], ...said })],
    ['the release of one', (archive) => archive.release({ users: ['ann'], ...said })],
    ['an accepted gap', (archive) => archive.acceptGaps({ sessions: ['s'], ...said })],
    ['a new request', (archive) => archive.newRequest({ ...request, name: 'Matter 8' })],
    ['the end of one', (archive) => archive.closeRequest({ name: 'Matter 7', ...said })],
  ])('%s', async (_, ask) => {
    const { watched, read } = await withSnapshot();
    await ask(watched);
    expect([...read].filter((path) => /^_commits\/0{11}[123]\.json/.test(path))).toEqual([]);
  });
});
