/** What `verify --against-service` finds that only one side has. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { verifyJson } from '../../support/rigs/verify-rig.js';

/** At a rate that is no limit. */
const AGAINST_SERVICE = ['--against-service', '--rate', '10000'];

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Jobs of everybody else. */
function otherJobs(user: string): number {
  const others = rig.state.userIds().filter((id) => id !== user);
  const sessions = others.flatMap((id) => rig.state.sessionIds(id).map((session) => [id, session]));
  return sessions.reduce(
    (sum, [id = '', session = '']) => sum + rig.state.jobIds(id, session).length,
    0,
  );
}

it('verify --against-service finds nothing right after an export', async () => {
  const { service } = await verifyJson(rig, AGAINST_SERVICE);
  const totals = rig.state.totals();
  expect(service).toEqual({
    users: totals.users,
    sessions: totals.sessions,
    equal_jobs: totals.jobs,
    differences: [],
  });
});

it('verify --against-service lists what either side lacks and what has changed, page by page', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const [grown = '', gone = ''] = rig.state.sessionIds(user);
  const [changed = '', lost = ''] = rig.state.jobIds(user, grown);
  const [added = ''] = rig.state.addJobs(user, grown, 1);
  rig.state.growAnswer(user, grown, changed, 'And more.');
  rig.state.deleteJob(user, grown, lost);
  rig.state.deleteSession(user, gone);
  const words = [...AGAINST_SERVICE, '--page-size', '2'];
  const { service } = await verifyJson(rig, words, 3);
  const brief = service.differences.map(({ kind, session, job }) => [kind, session, job]);
  expect(new Set(brief.map((one) => one.join(' ')))).toEqual(
    new Set([
      `service_only ${grown} ${added}`,
      `changed ${grown} ${changed}`,
      `archive_only ${grown} ${lost}`,
      `archive_only ${gone} `,
    ]),
  );
  expect((await verifyJson(rig, [...words, '--user', other])).service.differences).toEqual([]);
  const { exitCode, stdout } = await cli(['verify', rig.out, ...words]);
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`session ${grown}, job ${added}: the archive lacks the job`);
});

it('verify tells of a job that was sent twice, and the second time as another one', async () => {
  const [user = ''] = rig.state.userIds();
  const session = rig.state.addSession(user, { id: 'long' });
  const jobs = rig.state.addJobs(user, session, 5);
  await rig.export();
  let reads = 0;
  rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
    if (operation !== 'getHistory' || pathId !== session || ++reads !== 2) return;
    // all that the first page had
    for (const job of jobs.slice(-3)) rig.state.growAnswer(user, session, job, 'And more.');
  };
  const words = [...AGAINST_SERVICE, '--user', user, '--page-size', '3'];
  const { service } = await verifyJson(rig, words, 3);
  const note = 'its content changed while it was compared';
  expect(service.differences).toEqual([
    expect.objectContaining({ kind: 'changed', session, note }),
  ]);
  expect(service.equal_jobs).toBe(rig.state.totals().jobs - otherJobs(user) - 1);
});

it('verify --against-service is content when only the archive has something', async () => {
  const [user = ''] = rig.state.userIds();
  const [gone = ''] = rig.state.sessionIds(user);
  rig.state.deleteSession(user, gone);
  const { service } = await verifyJson(rig, AGAINST_SERVICE);
  expect(service.differences).toMatchObject([
    { kind: 'archive_only', user, session: gone, job: null },
  ]);
});

it('verify --against-service compares a conversation of two spellings of a user once', async () => {
  const talk = (user: string, ...jobs: string[]) => {
    const record = (id: string) => ({
      job_id: id,
      question: { blocks: [{ type: 'MESSAGE', content: id }] },
      answer: { blocks: [{ type: 'MESSAGE', content: 'ok', stage: 'Respond' }] },
    });
    const sessions = [{ id: 's-shared', name: 'Shared', jobs: jobs.map(record) }];
    rig.state.importJson(JSON.stringify({ users: [{ user_id: user, sessions }] }));
  };
  const before = (await verifyJson(rig, AGAINST_SERVICE)).service;
  talk('Ana', 'j-0');
  await rig.export({ users: ['Ana'] });
  rig.state.deleteSession('Ana', 's-shared');
  talk('ana', 'j-0', 'j-1');
  await rig.export({ users: ['ana'] });
  const { service } = await verifyJson(rig, AGAINST_SERVICE);
  expect(service).toEqual({
    users: before.users + 1,
    sessions: before.sessions + 1,
    equal_jobs: before.equal_jobs + 2,
    differences: [],
  });
  const one = (await verifyJson(rig, [...AGAINST_SERVICE, '--user', 'Ana'])).service;
  expect(one).toEqual({ users: 1, sessions: 1, equal_jobs: 2, differences: [] });
  rig.state.deleteSession('ana', 's-shared');
  const gone = (await verifyJson(rig, AGAINST_SERVICE)).service;
  expect(gone.differences).toMatchObject([{ kind: 'archive_only', user: 'ana' }]);
  const { stdout } = await cli(['verify', rig.out, ...AGAINST_SERVICE]);
  expect(stdout).toMatch(/only here +1 conversation$/m);
});

it('verify --against-service lists a session that the archive has never seen, with its jobs', async () => {
  const [user = ''] = rig.state.userIds();
  const session = rig.state.addSession(user, { name: 'new' });
  rig.state.addJobs(user, session, 2);
  const { service } = await verifyJson(rig, AGAINST_SERVICE, 3);
  expect(service.differences.map(({ kind, job }) => [kind, job === null])).toEqual([
    ['service_only', true],
    ...Array<[string, boolean]>(2).fill(['service_only', false]),
  ]);
});

it('verify refuses a user whom neither side has, and takes one whom the service alone has', async () => {
  const typo = `${rig.state.userIds()[0]}x`;
  const words = ['verify', rig.out, ...AGAINST_SERVICE, '--user'];
  const { exitCode, stdout, stderr } = await cli([...words, typo]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    `neither ${rig.out} nor the service has a session of user "${typo}"; did you mean "${rig.state.userIds()[0]}"?`,
  );
  rig.state.importJson(
    JSON.stringify({ users: [{ user_id: 'new', sessions: [{ id: 'first', jobs: [] }] }] }),
  );
  const { service } = await verifyJson(rig, [...AGAINST_SERVICE, '--user', 'new'], 3);
  expect(service.differences).toMatchObject([{ kind: 'service_only', session: 'first' }]);
});

it('verify sends nothing to another service than the one that the archive belongs to', async () => {
  const { exitCode, stderr } = await cli([
    'verify',
    rig.out,
    '--against-service',
    '--base-url',
    'https://api.example.com',
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`is the archive of ${rig.emulator.baseUrl}, not of`);
  const keyless = await cli(['verify', rig.out, '--against-service'], {});
  expect(keyless.exitCode).toBe(2);
  expect(keyless.stderr).toContain('there is no API key');
});

it('verify --against-service ends with exit code 6 where the key is refused', async () => {
  const words = ['verify', rig.out, '--against-service'];
  const { exitCode, stderr } = await cli(words, { JOBVAULT_API_KEY: 'no-such-key' });
  expect(exitCode).toBe(6);
  expect(stderr).not.toContain('no-such-key');
});
