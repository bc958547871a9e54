/** What the bytes of files say of a session whose URLs say something else, and what is remembered of it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { LogFacts } from '../../../src/archive/state/log-facts.js';
import type { LostFile } from '../../../src/artifacts/artifact-fetcher.js';
import { asJobId, asSessionId, asUserId } from '../../../src/model/ids.js';
import { FileCheck } from '../../../src/prune/file-check.js';
import type { ServedSession } from '../../support/http/archived-service.js';
import { MemoryPrune } from '../../support/rigs/memory-prune.js';
import { commitJobs } from '../../support/store/written-jobs.js';

const ARCHIVED: Record<string, string> = { m1: 'of one', m2: 'of two' };
const EXPIRED: LostFile = { status: 'failed', reason: 'the URL expired' };
const [m1, m2] = [asJobId('m1'), asJobId('m2')];

let rig: MemoryPrune;
let check: FileCheck;
let archived: ArchivedSession;
let served: ServedSession;
/** By job. */
let answers: Record<string, string | LostFile>;

beforeEach(async () => {
  rig = await MemoryPrune.start();
  const { archive, clock, fetcher, service, stop } = rig;
  const jobs = Object.entries(ARCHIVED).map(([job, text]) => {
    return { user: 'eve', session: 'e1', job, files: [text] };
  });
  await commitJobs(archive, jobs, { run: 'D' });
  await archive.index.refresh();
  [archived] = (await new LogFacts(archive).sessionsOf(asUserId('eve'))).sessions as [
    ArchivedSession,
  ];
  for (const job of jobs) served = service.add(job);
  answers = { ...ARCHIVED };
  rig.fetched = (url) => answers[jobOf(url)] ?? EXPIRED;
  const { signal } = stop;
  check = new FileCheck({ service: service.client, fetcher, pageSize: 100, clock, signal });
});

function jobOf(url: string): string {
  return /example\/(.*)\//.exec(url)?.[1] ?? '';
}

/** In the service. */
function replaceIn(job: string, old: string, text: string): void {
  served.jobs = served.jobs.map((record) => {
    if (record.value.job_id !== job) return record;
    const changed = record.text.replace(old, text);
    return { text: changed, value: JSON.parse(changed) as never };
  });
}

function sendWith(query: string, ...jobs: string[]): void {
  for (const job of jobs) replaceIn(job, '0.csv', `0.csv?${query}`);
}

function isAccountedFor(job = m1, over: Partial<ArchivedSession> = {}): boolean {
  const record = served.jobs.find(({ value }) => value.job_id === job)!;
  return check.isAccountedFor({ ...archived, ...over }, job, record);
}

it('files are fetched only where URLs say something else, and only until that is proven', async () => {
  sendWith('edition=2', m1);
  expect([isAccountedFor(m1), isAccountedFor(m2)]).toEqual([false, true]);
  expect(await check.refusalOf(archived)).toBeUndefined();
  expect(rig.fetchedUrls.map(jobOf)).toEqual(['m1']);
  expect(isAccountedFor(m1)).toBe(true);
  expect(await check.refusalOf(archived)).toBeUndefined();
  expect(rig.fetchedUrls).toHaveLength(1);
});

it('files are not fetched for a job that is new or another one: the final check refuses it', async () => {
  sendWith('edition=2', m1);
  replaceIn(m1, 'told to eve', 'told to nobody');
  rig.service.add({ user: 'eve', session: 'e1', job: 'm3', files: ['of three'] });
  sendWith('edition=2', 'm3');
  expect(await check.refusalOf(archived)).toBeUndefined();
  expect(rig.fetchedUrls).toEqual([]);
  expect(isAccountedFor(m1)).toBe(false);
});

it('the files of a session are changed where any of them is, and that is not taken for proof', async () => {
  sendWith('edition=2', m1, m2);
  answers['m2'] = 'of another';
  const changed = {
    reason: 'changed',
    detail: 'the files of 1 job changed since: to be archived by the next export --full',
  };
  expect(await check.refusalOf(archived)).toEqual(changed);
  expect([isAccountedFor(m1), isAccountedFor(m2)]).toEqual([true, false]);
  expect(await check.refusalOf(archived)).toEqual(changed);
  expect(rig.fetchedUrls.map(jobOf)).toEqual(['m1', 'm2', 'm2']);
});

it('files are unknown where one could not be fetched, and that is not taken for proof', async () => {
  sendWith('edition=2', m1, m2);
  answers['m2'] = EXPIRED;
  expect(await check.refusalOf(archived)).toEqual({
    reason: 'files',
    detail: 'whether a file is still the archived one is not known; job m2: the URL expired',
  });
  expect([isAccountedFor(m1), isAccountedFor(m2)]).toEqual([true, false]);
  answers['m2'] = 'of two';
  expect(await check.refusalOf(archived)).toBeUndefined();
});

it('the files of a session are changed rather than unknown where they are both', async () => {
  sendWith('edition=2', m1, m2);
  Object.assign(answers, { m1: EXPIRED, m2: 'of another' });
  expect(await check.refusalOf(archived)).toMatchObject({ reason: 'changed' });
});

describe('file check', () => {
  beforeEach(async () => {
    sendWith('edition=2', m1);
    expect(await check.refusalOf(archived)).toBeUndefined();
  });

  it('what is proven of a job counts for no other job, session or user', () => {
    sendWith('edition=2', m2);
    expect(isAccountedFor(m1)).toBe(true);
    expect(isAccountedFor(m2)).toBe(false);
    expect(isAccountedFor(m1, { session: asSessionId('e2') })).toBe(false);
    expect(isAccountedFor(m1, { user: asUserId('ann') })).toBe(false);
  });

  it('what is proven of a job counts for no other parameter', () => {
    replaceIn(m1, '?edition=2', '?edition=2&page=1');
    expect(isAccountedFor(m1)).toBe(false);
  });
});
