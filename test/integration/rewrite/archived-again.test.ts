/** A conversation that exports skip is archived again where its user is put on hold, and from then on as any other (I-68): every output knows it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  for (const session of ['a-1', 'a-2', 'a-3']) {
    people.talk('ada', session, session, [{ question: 'the weather' }]);
  }
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const nightWords = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return ['export', '--out', out, '--user', 'ada', '--user', 'ben', ...service];
};
const night = () => cliJson<ExportSummary>(nightWords());
const status = () => cliJson<ArchiveStatus>(['status', out]);
const list = async () => (await cli(['erase', out, '--list'])).stdout.replaceAll(/ +/g, ' ');
const suppress = (...ids: string[]) =>
  cli(['erase', out, '--yes', '--suppress', ...ids.flatMap((id) => ['--session', id])]);
const hold = (...words: string[]) => cli(['hold', 'add', out, ...words, ...why]);
const release = () => cli(['hold', 'release', out, '--user', 'ada', '--yes', ...why]);
/** Plan and result. */
const toldOfRelease = async () => {
  const { stdout, stderr } = await release();
  return `${stderr} ${stdout}`.replace(/\s+/g, ' ');
};

it('is archived as any other after the release of the hold, so that no count differs', async () => {
  await suppress('a-1', 'a-2', 'b-1');
  await hold('--user', 'ada');
  const { stdout } = await cli(nightWords());
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'erased before 2 conversations that had been erased are archived again: the service still had them, and exports skip them no more (erase --unsuppress, or a hold on their user)',
  );
  expect(await toldOfRelease()).toContain(
    '2 conversations of these had been erased, and exports skip them no more: erase them again where they are to go.',
  );
  people.talk('ada', 'a-1', 'a-1', [{ question: 'and tomorrow?' }]);
  const again = await night();
  expect(again).toMatchObject({
    ...{ suppressed: { users: 0, sessions: 1 }, status: 'incomplete-by-decision' },
    ...{ sessions: { listed: 4, changed: 1, new: 0 }, jobs: { archived: 1 } },
  });
  expect(await people.shown()).toEqual(['a-1', 'a-2', 'a-3', 'b-2']);
  const { exitCode, stdout: ofUser } = await cli(['status', out, '--user', 'ada']);
  expect([exitCode, ofUser]).toEqual([
    0,
    expect.stringMatching(/^ada: complete, leaving aside what was erased/),
  ]);
  expect(ofUser).not.toContain('skipped');
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('counts once where two users list it, as the receipt does', async () => {
  for (const user of ['ada', 'ben']) people.talk(user, 'of-both', 'Both', [{ id: 'j-both' }]);
  await night();
  await suppress('of-both');
  const once = { suppressed: { users: 0, sessions: 1 } };
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [once] });
  expect(await cliJson([...nightWords(), '--dry-run'])).toMatchObject(once);
  expect(await night()).toMatchObject(once);
  await cli(['erase', out, '--unsuppress', '--yes', '--session', 'of-both', ...why]);
  expect(await night()).toMatchObject({ erased_before: 1 });
});

it('stays skipped where the hold was released before any export', async () => {
  await suppress('a-1');
  await hold('--user', 'ada');
  expect(await toldOfRelease()).not.toContain('had been erased');
  expect(await night()).toMatchObject({ suppressed: { sessions: 1 } });
  expect(await people.shown()).not.toContain('a-1');
});

it('hold add says how many the next export may archive again', async () => {
  await suppress('a-1', 'a-2', 'b-1');
  const told = (count: string) =>
    `Exports skip up to ${count} that may be theirs (erase --suppress). While this hold binds, the next export archives again what the service still has of these, and keeps it as any other from then on.\n`;
  const first = await hold('--user', 'Ada');
  expect(first.stdout).toContain(told('3 erased conversations'));
  await cli(['hold', 'release', out, '--user', 'Ada', '--yes', ...why]);
  await night();
  expect((await hold('--user', 'ada')).stdout).toContain(told('2 erased conversations'));
  const json = ['hold', 'add', out, '--user', 'ben', ...why];
  expect(await cliJson(json)).toMatchObject({ may_come_back: 1 });
  expect((await hold('--session', 'a-3')).stdout).not.toContain('Exports skip');
});

it('erase says that a hold on the user ends it, of a conversation alone', async () => {
  const { stdout } = await suppress('a-1');
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'No export into this archive archives again what is suppressed, until erase --unsuppress ends that, or, of a conversation, a hold on its user.',
  );
  const whole = await cli(['erase', out, '--user', 'ben', '--suppress', '--yes']);
  expect(whole.stdout.replace(/\s+/g, ' ')).toContain(
    'No export into this archive archives them again, until erase --unsuppress ends that. The',
  );
});

it('erase --list and request show say what is still skipped', async () => {
  await cli(['request', 'new', out, 'Matter 7', '--session', 'a-1', '--session', 'a-2', ...why]);
  await cli(['erase', out, '--request', 'Matter 7', '--suppress', '--yes']);
  const whole = 'only 2 conversations not to come back, and exports went on for their users';
  expect(await list()).toContain(whole);
  await cli(['erase', out, '--unsuppress', '--yes', '--session', 'a-2', ...why]);
  const one =
    'only 2 conversations not to come back (now 1 conversation), and exports went on for their users';
  expect(await list()).toContain(one);
  await hold('--user', 'ada');
  await night();
  const none =
    'only 2 conversations not to come back (now none of these), and exports went on for their users';
  expect(await list()).toContain(none);
  expect(await list()).toContain(' 1 conversation archived again: the user was on hold');
  expect(await list()).toMatch(/ 1 conversation archived again *$/m);
  const show = ['request', 'show', out, 'Matter 7'];
  expect((await cli(show)).stdout).toContain(none);
  const ended = { erasures: [{ suppression_ended: { users: 0, sessions: 2 } }] };
  expect(await cliJson(show)).toMatchObject(ended);
  expect(await cliJson(['erase', out, '--list'])).toMatchObject(ended);
});

it('erase --list and request show say who may come back from a hold on, until an export', async () => {
  await cli(['request', 'new', out, 'Matter 7', '--session', 'a-1', '--session', 'a-2', ...why]);
  await cli(['erase', out, '--request', 'Matter 7', '--suppress', '--yes']);
  await suppress('b-1');
  await night();
  const show = async () => (await cli(['request', 'show', out, 'Matter 7'])).stdout;
  const but = (count: string) =>
    `But up to ${count} of these come back with the next export, as far as they are of a user who is on hold (jobvault hold list) and the service still has them.`;
  const list = () => cli(['erase', out, '--list']);
  expect((await list()).stdout + (await show())).not.toContain('come back with the next export');
  await hold('--user', 'ada');
  const now = 'not to come back (now up to 2 of these come back with the next export)';
  for (const text of [(await list()).stdout, await show()]) {
    expect(text).toContain(but('2 conversations'));
    expect(text).toContain(now);
  }
  const two = { may_come_back: 2, erasures: [{ may_come_back: 2 }] };
  expect(await cliJson(['request', 'show', out, 'Matter 7'])).toMatchObject(two);
  expect(await cliJson(['request', 'list', out])).toMatchObject({ requests: [two] });
  expect(await cliJson(['status', out])).toMatchObject({ open_requests: [{ may_come_back: 2 }] });
  const shortly =
    'but up to 2 erased conversations of a user on hold come back with the next export';
  for (const words of [['request', 'list'], ['status']]) {
    const { stdout } = await cli([...words, out]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(shortly);
  }
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    may_come_back: 2,
    erasures: [{ may_come_back: 2 }, { may_come_back: 1 }],
  });
  const close = ['request', 'close', out, 'Matter 7', '--reason', 'done', '--by', 'Dana'];
  const closed = await cli(close);
  expect(closed.stdout).toContain(but('2 conversations'));
  await night();
  expect((await list()).stdout + (await show())).not.toContain('come back with the next export');
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({ may_come_back: 0 });
});

it('a user suppressed no more is told with the first export that archives anything of theirs', async () => {
  await cli(['erase', out, '--user', 'ada', '--suppress', '--yes']);
  await night();
  await cli(['erase', out, '--unsuppress', '--yes', '--user', 'ada', ...why]);
  const { stdout, stderr } = await cli(nightWords());
  const told = '3 new conversations may be some that were erased';
  expect([stdout.replace(/\s+/g, ' '), stderr]).toEqual([
    expect.stringContaining(`erased before ${told}`),
    expect.stringContaining(told),
  ]);
  expect(await list()).toMatch(/ 1 user archived again *$/m);
  people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
  expect(await night()).not.toHaveProperty('maybe_erased_before');
  expect(await list()).toMatch(/^(?:(?! archived again)[^])* archived again(?! .* archived again)/);
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('status says of the last export that it skipped what its summary says', async () => {
  await suppress('a-1', 'b-1', 'b-2');
  await cli(['erase', out, '--user', 'ada', '--suppress', '--yes']);
  const file = join(people.rig.directory, 'users.txt');
  await writeFile(file, 'ada\nben\n');
  const words = ['export', '--out', out, '--users-file', file];
  expect(await cliJson([...words, '--base-url', people.rig.emulator.baseUrl])).toMatchObject({
    suppressed: { users: 1, sessions: 2 },
  });
  expect(await status()).toMatchObject({
    last_export: { users_suppressed: 1, sessions_suppressed: 2 },
  });
  expect((await cli(['status', out])).stdout.replace(/\s+/g, ' ')).toContain(
    'skipped 1 user and 2 conversations: suppressed',
  );
});

it('a conversation of two spellings counts once among those that may have been erased', async () => {
  people.talk('Ada', 'a-1', 'a-1', [{ question: 'the weather' }]);
  people.talk('Ada', 'A-9', 'A-9', [{ question: 'the weather' }]);
  const both = () => cliJson<ExportSummary>([...nightWords(), '--user', 'Ada']);
  await both();
  await cli(['erase', out, '--user', 'ada', '--user', 'Ada', '--yes']);
  expect(await both()).toMatchObject({ sessions: { new: 4 }, maybe_erased_before: 4 });
});

it('of a user who was suppressed as a whole, what is still skipped is known to be erased', async () => {
  await hold('--session', 'a-3');
  await cli(['erase', out, '--user', 'ada', '--except-held', '--suppress', '--yes']);
  await cli(['hold', 'release', out, '--session', 'a-3', '--yes', ...why]);
  await cli(['erase', out, '--user', 'ada', '--suppress', '--yes']);
  await cli(['erase', out, '--unsuppress', '--yes', '--user', 'ada', ...why]);
  expect(await night()).toMatchObject({ status: 'incomplete-by-decision' });
  expect((await cli(['status', out, '--user', 'ada'])).stdout).toMatch(
    /^ada: not complete, by decision: 2 of 3 conversations were erased/,
  );
  expect(await status()).toMatchObject({ erased: 2 });
});

it('what erasures have taken of whom nobody knows has none that is archived again', async () => {
  await suppress('a-1', 'a-2', 'b-1');
  await night();
  await cli(['erase', out, '--unsuppress', '--yes', '--session', 'a-1', ...why]);
  await hold('--user', 'ben');
  await night();
  expect(await status()).toMatchObject({ erased: 1, unexplained_erased: 0 });
  await suppress('a-1');
  expect(await status()).toMatchObject({ erased: 2, unexplained_erased: 0 });
});

it('what was erased is known to be gone where exports skip it, and how much of it is back', async () => {
  await suppress('a-1', 'a-2');
  people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
  await night();
  const told = async () => (await cli(['status', out])).stdout;
  expect(await told()).toContain('nothing of what was erased is here');
  await hold('--user', 'ada');
  await night();
  expect(await status()).toMatchObject({ erasures: { back: 2, exported_since: false } });
  expect(await told()).toContain(
    'what was erased is not here, but for up to 2 conversations that exports have archived again, and the receipts',
  );
  await cli(['erase', out, '--yes', '--session', 'b-1']);
  await night();
  expect(await told()).toContain(
    'what was erased is not here, but for up to 2 conversations that exports have archived again and what else the service still had and exports have archived since',
  );
});
