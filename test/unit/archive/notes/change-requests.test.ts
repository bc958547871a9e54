/** Requests are recorded by commits, with what is done for them (I-62 in FORMAT.md). */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { ErasureUnfinishedError } from '../../../../src/archive/archive-errors.js';
import { addHolds } from '../../../../src/archive/holds/change-holds.js';
import {
  closeRequest,
  workFor,
  workText,
  newRequest,
  noteForRequest,
  type RequestChoices,
  type WorkForRequest,
} from '../../../../src/archive/notes/change-requests.js';
import { UsageError } from '../../../../src/base/error.js';
import { reopened as reopenedWith } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { snapshotOf } from '../../../support/store/snapshots.js';

let archive: Archive;
const asked = { name: 'Matter 7', reason: 'Art. 15 GDPR', by: 'Grace' };
let seed = 2;
/** Two that drew the same nonce would take each other's commits for their own. */
const reopened = (): Archive => reopenedWith(archive, archive.storage, seed++);

beforeEach(async () => {
  ({ archive } = await archiveOfThree());
});

const ask = (choices: Partial<RequestChoices> = {}) =>
  newRequest(reopened(), { ...asked, ...choices });
const hold = (choices: object) =>
  addHolds(reopened(), { by: 'Dana', request: 'Matter 7', ...choices });
const close = (choices: object = {}) =>
  closeRequest(reopened(), {
    name: 'Matter 7',
    reason: 'answered',
    by: 'Dana',
    ...choices,
  });

const counts = {
  ...{ commit: 3, total: 5, searched: 4, matches: 2, withheld: 0 },
  caveats: [{ kind: 'gap', severity: 'missing' as const, count: 1, headline: '1 gap' }],
};
const PACK: WorkForRequest = {
  action: 'pack',
  by: 'Dana',
  digest: 'ab'.repeat(32),
  ...{ sessions: 2, jobs: 2, artifacts: 1 },
  ...counts,
};
const note = (work: WorkForRequest = PACK) =>
  noteForRequest(reopened(), { name: 'Matter 7', work });

/** As anybody reads it who opens the archive. */
async function logged() {
  const fresh = reopened();
  await fresh.index.refresh();
  return fresh.index.requests;
}

const usage = (message: string) => new UsageError(message);

it('a request says who asked, when, about whom, which words and which period', async () => {
  const made = await ask({
    users: ['ann', 'ben', 'ann'],
    match: '"x"',
    in: ['name'],
    to: '2026',
  });
  expect(await logged()).toEqual([made]);
  expect(made).toMatchObject({ ...asked, users: ['ann', 'ben'], match: '"x"', in: ['name'] });
  expect(made).toMatchObject({ from: null, to: '2026', since: '2026-11-05T12:00:00.000Z' });
  expect(made).toMatchObject({ commit: 4, searches: [], packs: [], closed: null });
  expect((await archive.log.read(4)).kind).toBe('request');
});

it('a request has a name of its own, also after it was closed', async () => {
  await ask({ name: 'é' });
  const where = archive.storage.location;
  const taken = 'has a request "e\u0301" (2026-11-05 by Grace); choose another name';
  await expect(ask({ name: 'e\u0301' })).rejects.toThrow(usage(`${where} ${taken}`));
  await close({ name: 'é' });
  await expect(ask({ name: 'e\u0301' })).rejects.toThrow(usage(`${where} ${taken}`));
});

it.each<[string, Partial<RequestChoices>, string]>([
  ['a name', { name: '' }, 'a request is named ""; allowed is'],
  ['a name of one line', { name: 'a\nb' }, String.raw`a request is named "a\nb"; allowed is`],
  ['a name without spaces around it', { name: ' a' }, 'a request is named " a"; allowed is'],
  ['no space after it', { name: 'a ' }, 'a request is named "a "; allowed is'],
  ['a short name', { name: 'n'.repeat(101) }, 'allowed is a line of 1 to 100 characters'],
  ['a reason', { reason: ' ' }, 'a request needs a reason, and it is empty'],
  ['a person', { by: ' ' }, 'a request needs the name of a person, and it is empty'],
  ['users of the archive', { users: ['eve'] }, 'has no user "eve"'],
])('a request needs %s', async (_, choices, message) => {
  await expect(ask(choices)).rejects.toThrow(message);
  expect(await logged()).toEqual([]);
});

it('no request is recorded while an erasure is open: it may erase whom it names', async () => {
  await new BegunErasure(reopened()).begin();
  await expect(ask()).rejects.toThrow(ErasureUnfinishedError);
});

it('a request is found by its id as well; an unknown one is refused with those that are open', async () => {
  const { id } = await ask();
  expect(await close({ name: id })).toMatchObject({ request: { name: 'Matter 7' } });
  await ask({ name: 'Matter 8' });
  await expect(close({ name: 'matter 8' })).rejects.toThrow(
    usage(`${archive.storage.location} has no request "matter 8"; open are "Matter 8"`),
  );
});

it('a request keeps what was done for it, also in a snapshot', async () => {
  await ask();
  const search = { action: 'search', by: 'Dana', match: 'x', in: null, from: null, to: null };
  await note({ ...search, ...counts } as WorkForRequest);
  const { searches, packs } = await note();
  const at = '2026-11-05T12:00:00.000Z';
  expect(searches).toMatchObject([{ by: 'Dana', match: 'x', matches: 2, at }]);
  expect(packs).toMatchObject([{ digest: 'ab'.repeat(32), caveats: counts.caveats, at }]);
  const all = await logged();
  await archive.index.refresh();
  await snapshotOf(archive);
  expect(await logged()).toEqual(all);
});

it('holds for a request are on its users, for its reason, and are not set twice', async () => {
  const { id } = await ask({ users: ['ann', 'ben'] });
  const set = await hold({});
  const told = { reason: 'Art. 15 GDPR', by: 'Dana', request: id };
  expect(set).toMatchObject([
    { user: 'ann', ...told },
    { user: 'ben', ...told },
  ]);
  expect(await hold({})).toEqual(set);
  const another = { user: 'ann', reason: 'Art. 15 GDPR', request: null };
  const own = { request: undefined, users: ['ann'], reason: 'Art. 15 GDPR' };
  expect(await hold(own)).toMatchObject([another]);
});

it('holds for a request are on what is named instead, and for what is given', async () => {
  await ask({ users: ['ann'] });
  expect(await hold({ sessions: ['c1'], reason: 'Matter 9' })).toMatchObject([
    { user: null, session: 'c1', reason: 'Matter 9' },
  ]);
});

it('holds for a request need somebody who is named, and a request that is open', async () => {
  await ask();
  await expect(hold({})).rejects.toThrow(
    usage(
      'request "Matter 7" is about everybody, so it does not say who is held; give a user or a session',
    ),
  );
  await close();
  await expect(hold({ users: ['ann'] })).rejects.toThrow(
    usage('request "Matter 7" was closed on 2026-11-05 by Dana; record a new one'),
  );
});

it('closing a request leaves the holds that were set for it in force, and names them', async () => {
  await ask({ users: ['ann'] });
  await hold({});
  const { request, released, held } = await close();
  expect(request.closed).toMatchObject({ by: 'Dana', reason: 'answered', commit: 6 });
  expect([released, held]).toMatchObject([[], [{ user: 'ann', release: null }]]);
});

it('closing a request releases them with it in one commit if told so, and no others', async () => {
  await ask({ users: ['ann'] });
  await hold({});
  await hold({ request: undefined, users: ['ann', 'ben'], reason: 'other' });
  const { released, held } = await close({ releaseHolds: true });
  const release = { by: 'Dana', reason: 'answered', commit: 7 };
  expect([released, held]).toMatchObject([[{ user: 'ann', release }], []]);
  const fresh = reopened();
  await fresh.index.refresh();
  const left = fresh.index.holds.filter((one) => one.release === null);
  expect(left).toMatchObject([{ user: 'ann', reason: 'other' }, { user: 'ben' }]);
});

it('closing a request ends it: nothing can be recorded for it any more', async () => {
  await ask();
  await note();
  await close();
  const closed = usage('request "Matter 7" was closed on 2026-11-05 by Dana; record a new one');
  await expect(note()).rejects.toThrow(closed);
  await expect(close()).rejects.toThrow(closed);
  expect(await logged()).toMatchObject([{ packs: [{ jobs: 2 }], closed: { by: 'Dana' } }]);
});

/** Another run does something right before our commit is appended. */
function meanwhile(act: () => Promise<unknown>): Archive {
  const own = reopened();
  const append = own.log.append.bind(own.log);
  own.log.append = async (draft) => {
    own.log.append = append;
    await act();
    return append(draft);
  };
  return own;
}

it('closing a request sees a hold that another run sets for it meanwhile', async () => {
  await ask({ users: ['ann'] });
  const own = meanwhile(() => hold({}));
  const choices = { name: 'Matter 7', reason: 'answered', by: 'Dana', releaseHolds: true };
  const { released } = await closeRequest(own, { ...choices });
  expect(released).toMatchObject([{ user: 'ann' }]);
});

it('closing a request is refused where another run closes it meanwhile', async () => {
  await ask();
  const own = meanwhile(() => close({ by: 'Eve' }));
  const closing = closeRequest(own, { name: 'Matter 7', reason: 'answered', by: 'Dana' });
  await expect(closing).rejects.toThrow('request "Matter 7" was closed on 2026-11-05 by Eve');
  expect(await logged()).toMatchObject([{ closed: { by: 'Eve' } }]);
});

it('closing a request needs a reason and a person', async () => {
  await ask();
  await expect(close({ reason: ' ' })).rejects.toThrow('needs a reason');
  await expect(close({ by: '\t' })).rejects.toThrow('needs the name of a person');
  expect(await logged()).toMatchObject([{ closed: null }]);
});

it('closing a request for which nothing is held releases nothing', async () => {
  await ask();
  expect(await close({ releaseHolds: true })).toMatchObject({ released: [], held: [] });
  expect((await archive.log.read(5)).holds).toBeUndefined();
});

it('a request whose name another run takes meanwhile is refused, and another name is not', async () => {
  const own = meanwhile(() => ask({ name: 'e\u0301' }));
  await expect(newRequest(own, { ...asked, name: 'é' })).rejects.toThrow('choose another name');
  const other = meanwhile(() => ask({ name: 'Matter 8' }));
  expect(await newRequest(other, { ...asked })).toMatchObject({ name: 'Matter 7' });
  expect(await logged()).toHaveLength(3);
});

it('a request is not recorded where an erasure begins meanwhile', async () => {
  const own = meanwhile(() => new BegunErasure(reopened()).begin());
  await expect(newRequest(own, { ...asked })).rejects.toThrow(ErasureUnfinishedError);
});

it("nothing is recorded for a request closed meanwhile, but it is beside another's closing", async () => {
  await ask();
  await ask({ name: 'Matter 8' });
  const beside = meanwhile(() => close({ name: 'Matter 8' }));
  expect(await noteForRequest(beside, { name: 'Matter 7', work: PACK })).toMatchObject({
    packs: [{ jobs: 2 }],
  });
  const own = meanwhile(() => close());
  await expect(noteForRequest(own, { name: 'Matter 7', work: PACK })).rejects.toThrow(
    'was closed on 2026-11-05 by Dana',
  );
});

it('a request may have a name of 100 characters', async () => {
  const name = 'n'.repeat(100);
  expect(await ask({ name })).toMatchObject({ name, users: [], match: null, in: null });
});

it('an unknown request is refused with the way to record one, where none is open', async () => {
  const where = archive.storage.location;
  const none = `${where} has no request "x"; jobvault request new records one`;
  await expect(close({ name: 'x' })).rejects.toThrow(usage(none));
  await ask();
  await close();
  await expect(close({ name: 'x' })).rejects.toThrow(usage(none));
  await ask({ name: 'b' });
  await ask({ name: 'a' });
  await expect(close({ name: 'x' })).rejects.toThrow('open are "b", "a"');
});

it('what was done for a request is counted by what it is', () => {
  const [pack, workbook, report] = [{}, { form: 'workbook' }, { form: 'report' }] as const;
  const textOf = (
    packs: Parameters<typeof workFor>[0]['packs'],
    searches: readonly object[] = [],
    erasures: readonly object[] = [],
  ) => workText(workFor({ packs, searches, erasures } as Parameters<typeof workFor>[0]));
  expect(textOf([])).toBe('no pack yet');
  expect(textOf([pack])).toBe('1 pack');
  expect(textOf([report, pack, pack, workbook])).toBe('2 packs, 1 workbook, 1 report');
  expect(textOf([], [{}, {}])).toBe('no pack yet, 2 searches');
  expect(textOf([pack], [{}], [{}])).toBe('1 pack, 1 search, 1 erasure');
});
