/** What `status` tells of jobs that may still change, and of files with doubtful content. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { severalView } from '../../../src/cli/output/reports/several-status-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;

beforeEach(async () => {
  people = await SearchRig.start();
  out = people.rig.out;
});
afterEach(() => people[Symbol.asyncDispose]());

/** The text behind a label. */
async function told(label: string, ...words: string[]): Promise<string | undefined> {
  const { stdout } = await cli(['status', out, ...words]);
  return new RegExp(`^  ${label} +(.*)$`, 'm').exec(stdout)?.[1];
}

/** What `gap list` says before its rows. */
const beforeRows = (stdout: string): string => stdout.slice(0, stdout.search(/^gap /mu)).trimEnd();

it('names no time at which jobs are settled of a user whom no export reads any more', async () => {
  people.talk('ada', 's1', 'Revenue', [{ id: 'of-unknown-age' }]);
  people.talk('bob', 's2', 'Costs', [{}]);
  await people.rig.archived();
  await people.rig.export({ users: ['bob'] });
  const { may_change: change } = await cliJson<ArchiveStatus>(['status', out]);
  expect(change).toEqual({ jobs: 1, unread: 1, newest_seen_at: null, left: 0, users: ['ada'] });
  const nobody =
    '1 question of users whom no export reads any more: nothing settles it until one does';
  expect(await told('may still change')).toContain(nobody);
  expect(await told('may still change', '--user', 'ada')).toBe(nobody);
  // who is read again is settled again
  await people.rig.export({ users: ['ada', 'bob'] });
  expect(await told('may still change')).toMatch(/^an export after /);
});

it('says of jobs that may still change until when, and how to list them', async () => {
  people.talk('ada', 's1', 'Revenue', [{}, { id: 'of-unknown-age' }]);
  await people.rig.archived();
  const status = await cliJson<ArchiveStatus & { details: UserDetail[] }>([
    ...['status', out, '--user', 'ada'],
  ]);
  const seenAt = status.may_change.newest_seen_at ?? '';
  expect(status.may_change).toEqual({
    jobs: 1,
    unread: 0,
    newest_seen_at: status.details[0]?.detail[0]?.unsettled[0]?.seen_at,
    left: 0,
    users: ['ada'],
  });
  // nothing settles in the minute of it, but after its seconds
  const after = (ms: number) => {
    const minute = Math.ceil((Date.parse(seenAt) + ms) / 60_000);
    return `${new Date(minute * 60_000).toISOString().slice(0, 16)}Z`;
  };
  const what =
    `an export after ${after(600_000)} settles those that have an answer and are unchanged, ` +
    `one after ${after(86_400_000)} those without an answer, or no longer in the history`;
  expect(await told('may still change')).toBe(
    `${what}. They are listed by jobvault status ${out} --user ada`,
  );
  expect(await told('may still change', '--user', 'ada')).toBe(what);
  expect((await cli(['status', out])).stdout).toMatch(/ note +1 answer may still come or change: /);
  people.talk('bob', 's2', 'Costs', [{ id: 'of-unknown-age-too' }]);
  await people.rig.export();
  expect(await told('may still change')).toMatch(
    new RegExp(
      `^an export after .*\\. Those of ada are listed by jobvault status ${out} --user ada$`,
    ),
  );
  const { stdout } = await cli(['status', out, '--user', 'ada']);
  expect(stdout).toContain(
    `    session s1, job of-unknown-age: may still change; as it is since ${seenAt.slice(0, 19)}Z\n`,
  );
  people.rig.clock.ahead = 600_001;
  await people.rig.export();
  expect(await told('may still change')).toBeUndefined();
});

it('says that nobody can settle the jobs of a session that is gone', async () => {
  people.talk('ada', 's1', 'Revenue', [{ id: 'of-unknown-age' }]);
  people.talk('ada', 's2', 'Costs', [{}]);
  await people.rig.archived();
  people.rig.state.deleteSession('ada', 's1');
  await people.rig.export();
  expect(await told('may still change')).toBe(
    '1 question not settled, of conversations that are no longer at the service: nobody can say any more',
  );
  const { stdout } = await cli(['status', out, '--user', 'ada']);
  expect(stdout).toMatch(/^ {2}s1 {2}gone, .*, 1 question, 1 not settled$/m);
  expect(stdout).toContain(
    'session s1, job of-unknown-age: not settled, and its conversation is no longer at the service; as it is since ',
  );
});

it('says how many gaps are of sessions that are gone, counted until somebody accepts them', async () => {
  people.talk('ada', 's1', 'Revenue', [{ table: 'Sales', csv: null }]);
  people.talk('ada', 's2', 'Costs', [{ table: 'Costs', csv: null }, {}]);
  await people.rig.archived();
  expect(await told('gaps')).toBe('2 missing');
  people.rig.state.deleteSession('ada', 's1');
  const { gaps } = await people.rig.export();
  expect(gaps).toHaveLength(2);
  for (const words of [[], ['--user', 'ada']]) {
    expect(await told('gaps', ...words)).toBe('2 missing');
    expect(await told('missing', ...words)).toContain(
      'No export fills what conversations lack that are no longer at the service (1 of the 2)',
    );
  }
  const status = await cliJson<ArchiveStatus>(['status', out]);
  expect(status).toMatchObject({ gaps: { missing: 2 }, gaps_of_absent_sessions: 1 });
  const { stdout } = await cli([
    'gap',
    'accept',
    out,
    '--session',
    's1',
    '--reason',
    'Gone',
    '--by',
    'Grace',
    '--yes',
  ]);
  expect(stdout).not.toBe('');
  expect(await told('gaps')).toBe('1 missing');
  const listed = await cli(['gap', 'list', out]);
  expect(beforeRows(listed.stdout)).toBe(
    '1 gap, 1 accepted gap\n' +
      '  missing   1: the file host does not have the file; an export looks again\n' +
      '  accepted  1: somebody has seen them; nothing needs to be done',
  );
  const why = ['--reason', 'Gone', '--by', 'Grace', '--yes'];
  await cli(['gap', 'accept', out, '--session', 's2', ...why]);
  expect(await told('gaps')).toBeUndefined();
  expect(await told('missing')).toMatch(/^2 accepted gaps: /);
  expect(await told('users')).toBe(
    '1: 0 complete, 1 not complete, by decision (accepted gaps, or erased)',
  );
  expect(await told('last export')).toMatch(/Z: 1 user read, 1 with gaps, none open any more$/);
  const ofUser = await cli(['status', out, '--user', 'ada']);
  expect(ofUser.stdout.split('\n')[0]).toBe('ada: not complete, by decision: 2 accepted gaps');
  const whole = await cliJson<ArchiveStatus>(['status', out]);
  expect(
    viewText(
      severalView(
        { ...whole, archives: [whole], users_in_several: [] },
        { sentence: String, failedRuns: new Map() },
      ),
    ),
  ).toContain('Nothing is wrong in any of them, as far as their logs say.');
});

it('says in the list of gaps which no run can fill, because their session is gone', async () => {
  people.talk('ada', 's1', 'Revenue', [{ table: 'Sales', csv: null }]);
  people.talk('ada', 's2', 'Costs', [{ table: 'Costs', csv: null }, {}]);
  await people.rig.archived();
  people.rig.state.deleteSession('ada', 's1');
  await people.rig.export();
  const { stdout } = await cli(['gap', 'list', out]);
  expect(beforeRows(stdout)).toBe(
    '2 gaps\n' +
      '  missing          2: the file host does not have the file; an export looks again\n' +
      '  of these absent  1: in sessions that are no longer at the service: no run fills them; they count until somebody accepts them',
  );
});

it('promises no fetch of gaps all of which are in sessions that are gone', async () => {
  people.talk('ada', 's1', 'Revenue', [{ table: 'Sales', csv: null }]);
  people.talk('ada', 's2', 'Costs', [{ table: 'Costs' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('ada', 's1');
  await people.rig.export();
  const { stdout } = await cli(['gap', 'list', out]);
  expect(beforeRows(stdout)).toBe(
    '1 gap\n' +
      '  missing          1: all in sessions that are no longer at the service\n' +
      '  of these absent  1: in sessions that are no longer at the service: no run fills them; they count until somebody accepts them',
  );
  expect(stdout).toContain(
    `Next: no export fills what conversations lack that are no longer at the service; jobvault gap accept ${out} --session ID --reason TEXT accepts it. Its flags --user and --status take many at once.`,
  );
});

it('says of an archive in which no run has saved anything that it is so, and nothing of checks', async () => {
  await createOrOpenArchive(await openStorage(out), {
    baseUrl: people.rig.emulator.baseUrl,
    project: null,
    formats: undefined,
  });
  expect(await told('users')).toBe('0');
  expect(await told('missing')).toMatch(/^nothing is archived yet: no export has saved anything; /);
  const { stdout } = await cli(['status', out]);
  expect(stdout).not.toMatch(/checked|checking/);
});

it('says what is wrong with suspicious files, until when, and which query lists them', async () => {
  people.rig.state.putFile('table.csv', '');
  people.talk('ada', 's1', 'Revenue', [{ table: 'Sales' }, { table: 'Costs' }, {}]);
  const exported = await cli([
    ...['export', '--user', 'ada', '--out', out, '--base-url', people.rig.emulator.baseUrl],
    '--allow-private-network',
  ]);
  const sentence =
    '2 files stored as the service sent them, with doubtful content: empty, an error message, not what the type says, or a picture that had the same bytes as others when it was fetched, also where these were erased since; ' +
    'so until the service sends others. They are listed, with reasons, by ' +
    `jobvault query ${out} 'SELECT user_id, session_id, job_id, name, suspicious FROM current_artifacts WHERE suspicious IS NOT NULL'`;
  expect(exported.stdout).toContain(`\nSuspicious: ${sentence}\n`);
  for (const words of [[], ['--user', 'ada']]) {
    const note = await told('note', ...words);
    expect(note).toMatch(/^2 files have doubtful content: /);
    expect(note).toContain(
      `; ${/jobvault query .*$/.exec(sentence)?.[0] ?? ''} lists those of everybody, with reasons; `,
    );
  }
  const sql = /'(SELECT .*)'$/.exec(sentence)?.[1] ?? '';
  const { rows } = await cliJson<{ rows: { name: string; suspicious: string }[] }>([
    ...['query', out, sql],
  ]);
  expect(rows.map(({ name, suspicious }) => [name, suspicious]).toSorted()).toEqual([
    ['Costs', 'an empty file'],
    ['Sales', 'an empty file'],
  ]);
});
