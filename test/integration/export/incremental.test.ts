/** What a later run makes of jobs that settle, grow, change under its hands, or get their files at last. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asJobId, asSessionId, asUserId } from '../../../src/model/ids.js';
import type { UserEntry } from '../../../src/archive/log/commit.js';
import { listedIn } from '../../../src/archive/log/manifest.js';
import type { JobState } from '../../../src/archive/state/user-state.js';
import { textHash } from '../../../src/flatten/text-hash.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

const MINUTE = 60_000;

describe('a later export', () => {
  let rig: ExportRig;
  let session: string;

  beforeEach(async () => {
    rig = await ExportRig.start();
    session = rig.state.addSession('ann');
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const run = () => rig.export({ users: ['ann'] });

  async function stateOf(job: string): Promise<JobState | undefined> {
    const state = await (await rig.open()).states.load(asUserId('ann'));
    return state.sessions.get(asSessionId(session))?.jobs.get(asJobId(job));
  }

  const addJob = (minutesOld: number, files: string[] = []): string =>
    rig.state.addJob(
      ...(['ann', session] as const),
      oldJob(rig.state.newJobId(rig.clock.now() - minutesOld * MINUTE), files),
    );

  it('takes a job for settled that it has read twice, 10 minutes apart, and writes no row for it', async () => {
    const fresh = addJob(1);
    const old = addJob(90);
    await run();
    const rows = await rig.rows('jobs');
    const settled = Object.fromEntries(rows.map((row) => [row['job_id'], row['is_settled']]));
    expect(settled).toEqual({ [fresh]: false, [old]: true });

    rig.clock.ahead += 9 * MINUTE;
    await run();
    expect(await stateOf(fresh)).toMatchObject({ settled: false, version: 1 });

    rig.clock.ahead += 2 * MINUTE;
    const summary = await run();
    expect(summary).toMatchObject({
      status: 'complete',
      rows: {},
      jobs: { archived: 0, unchanged: 2 },
    });
    expect(await stateOf(fresh)).toMatchObject({ settled: true, version: 1 });
    expect(await rig.rows('jobs')).toEqual(rows);
  });

  it('knows a record by its text as it was archived, whatever its URLs are signed with by now', async () => {
    const job = addJob(90, ['a.csv']);
    await run();
    const [row] = await rig.rows('raw_jobs');
    const known = await stateOf(job);
    expect(known?.text_hash).toBe(textHash(String(row?.['record'])));
    rig.clock.ahead += 5 * MINUTE;
    expect(await run()).toMatchObject({
      jobs: { archived: 0 },
      artifacts: { stored: 0, reused: 0 },
    });
    expect(await stateOf(job)).toEqual(known);
  });

  it('gives a job the same number when newer ones have come, in the log and in its rows', async () => {
    const [oldest, second] = [addJob(90), addJob(80)];
    await run();
    const [third, newest] = [addJob(70), addJob(60)];
    await run();
    const rows = await rig.rows('jobs');
    const numbers = Object.fromEntries(rows.map((row) => [row['job_id'], row['job_index']]));
    expect(numbers).toEqual({ [oldest]: 0, [second]: 1, [third]: 2, [newest]: 3 });
    const indexes = [oldest, second, third, newest].map(async (job) => (await stateOf(job))?.index);
    expect(await Promise.all(indexes)).toEqual([0, 1, 2, 3]);
  });

  it('numbers what is new above all that is archived, from the oldest, and changes no number', async () => {
    const add = (id: string) => rig.state.addJob('ann', session, oldJob(id));
    add('x');
    add('y');
    await run();
    const [third, newest] = [addJob(70), addJob(60)];
    expect(await run()).toMatchObject({ jobs: { archived: 2 } });
    const indexes = ['y', 'x', third, newest].map(async (job) => (await stateOf(job))?.index);
    expect(await Promise.all(indexes)).toEqual([0, 1, 2, 3]);
  });

  it('waits 24 hours for the answer of a job that has none', async () => {
    const silent = rig.state.newJobId(rig.clock.now() - 300 * MINUTE);
    rig.state.addJob('ann', session, { job_id: silent, question: { blocks: [] } });
    await run();
    rig.clock.ahead += 23 * 60 * MINUTE;
    await run();
    expect(await stateOf(silent)).toMatchObject({ settled: false });
    rig.clock.ahead += 2 * 60 * MINUTE;
    await run();
    expect(await stateOf(silent)).toMatchObject({ settled: true, version: 1 });
  });

  it('archives an answer that has grown as a new version of its job', async () => {
    const job = addJob(1);
    await run();
    rig.state.growAnswer('ann', session, job, 'And there is more.');
    expect(await run()).toMatchObject({ jobs: { archived: 1 }, sessions: { changed: 1 } });
    const versions = (await rig.rows('jobs'))
      .map((row) => [row['job_version'], row['answer_text'], row['respond_block_count']])
      .toSorted();
    expect(versions).toEqual([
      [1, `Of ${job}.`, 1],
      [2, `Of ${job}.\n\nAnd there is more.`, 2],
    ]);
  });

  it('archives the newer answer whole where it changes while its files are fetched', async () => {
    rig.state.putFile('first.csv', 'a\n1\n');
    rig.state.putFile('late.csv', 'a\n2\n');
    const job = addJob(1, ['first.csv']);
    // the first URL is refused, and by the time the page is read again the answer has grown
    rig.emulator.faults.files = [{ first: 1, answer: { kind: 'status', status: 403 } }];
    rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
      if (operation !== 'getHistory' || nth !== 2) return;
      const content = { name: 'late.csv', url: '{{url:late.csv}}', expires_at: '{{expires_at}}' };
      rig.state.growAnswer('ann', session, job, { type: 'TABLE', content, stage: 'Respond' });
    };
    expect(await run()).toMatchObject({ status: 'complete', jobs: { archived: 1 } });
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ job_version: 1, artifact_count: 2, answer_block_count: 3 });
    const artifacts = await rig.rows('artifacts');
    expect(artifacts.map(({ name, status, sha256 }) => [name, status, sha256]).toSorted()).toEqual([
      ['first.csv', 'stored', sha256Hex('a\n1\n')],
      ['late.csv', 'stored', sha256Hex('a\n2\n')],
    ]);
    const [{ record = '' } = {}] = await rig.rows('raw_jobs');
    expect(record).toContain('late.csv');
  });

  it(
    'tries a lost file again, and writes a new version only when it has come',
    fault('F-19'),
    async () => {
      rig.state.putFile('there.csv', 'a\n1\n');
      const job = addJob(120, ['gone.csv', 'there.csv']);
      const first = await run();
      expect(first).toMatchObject({
        status: 'gaps',
        artifacts: { stored: 1, missing: 1 },
        gaps: [{ user: 'ann', session, job, block_index: 0, kind: 'TABLE', status: 'missing' }],
      });
      const before = await rig.files('tables');

      const second = await run();
      expect(second).toMatchObject({ status: 'gaps', rows: {}, jobs: { archived: 0 } });
      expect(second.gaps).toEqual(first.gaps.map((gap) => ({ ...gap, known: true })));
      expect(await rig.files('tables')).toEqual(before);

      rig.state.putFile('gone.csv', 'a\n9\n');
      const third = await run();
      expect(third).toMatchObject({ status: 'complete', gaps: [], jobs: { archived: 1 } });
      const artifacts = (await rig.rows('artifacts')).map((row) => [
        row['job_version'],
        row['name'],
        row['status'],
      ]);
      expect(artifacts.toSorted()).toEqual([
        [1, 'gone.csv', 'missing'],
        [1, 'there.csv', 'stored'],
        [2, 'gone.csv', 'stored'],
        [2, 'there.csv', 'stored'],
      ]);
      const path = (await rig.files('artifacts')).find((name) =>
        name.includes(sha256Hex('a\n9\n')),
      );
      expect(String(await rig.place.read(path ?? ''))).toBe('a\n9\n');

      rig.emulator.stats.reset();
      await run();
      expect(rig.emulator.stats.fileRequests).toBe(0);
    },
  );

  it('says what came of a storage key last, and writes no job again for it', async () => {
    rig.state.putFile('there.csv', 'a\n1\n');
    const record = oldJob(rig.state.newJobId(rig.clock.now() - 120 * MINUTE), [
      'key/of.csv',
      'there.csv',
    ]).replace('{{url:key/of.csv}}', 'key/of.csv');
    rig.state.addJob('ann', session, record);
    const withBase = async (storageBaseUrl?: string) => {
      const summary = await rig.export({
        users: ['ann'],
        ...(storageBaseUrl && { storageBaseUrl }),
      });
      return [summary.jobs.archived, ...summary.gaps.map(({ status, reason }) => [status, reason])];
    };
    const unset = [
      'unresolved',
      'the service gave only a path of the file, no web address, and --storage-base-url is not set',
    ];
    expect(await withBase()).toEqual([1, unset]);

    const host = await scriptedApi({ status: 403, body: 'no' });
    const refused = ['forbidden', expect.stringMatching(/^127\.0\.0\.1:\d+ answered 403, also/)];
    const unreachable = [
      'failed',
      expect.stringMatching(/refused.*; given up after \d+ attempts$/),
    ];
    expect(await withBase('http://127.0.0.1:1/')).toEqual([0, unreachable]);
    expect(await withBase(host.url)).toEqual([0, refused]);
    await host[Symbol.asyncDispose]();
    expect(await withBase('http://127.0.0.1:1/')).toEqual([0, unreachable]);
    expect(await withBase()).toEqual([0, unset]);

    // the log has the newest reason; a night in which a host is out of reach writes no job again
    const rows = await rig.rows('artifacts');
    const told = rows.map((row) => [row['job_version'], row['status'], row['reason']]);
    expect(told.filter(([, status]) => status !== 'stored')).toEqual([[1, ...unset]]);
    expect((await rig.verify()).problems).toEqual([]);
  });

  it('says what came of a lost file also where another has gone since, and keeps that one', async () => {
    rig.state.putFile('there.csv', 'a\n1\n');
    const id = rig.state.newJobId(rig.clock.now() - 120 * MINUTE);
    const record = oldJob(id, ['key/of.csv', 'there.csv']);
    rig.state.addJob('ann', session, record.replace('{{url:key/of.csv}}', 'key/of.csv'));
    await run();
    rig.state.removeFile('there.csv');
    const files = await rig.files('tables');
    await using host = await scriptedApi({ status: 404, body: 'no' });
    for (let night = 0; night < 2; night++) {
      const summary = await rig.export({ users: ['ann'], storageBaseUrl: host.url });
      expect(summary).toMatchObject({ jobs: { archived: 0 }, gaps: [{ status: 'missing' }] });
    }
    expect(await rig.files('tables')).toEqual(files);
    expect((await rig.verify()).problems).toEqual([]);
  });

  it('writes nothing new for URLs that are only signed afresh, and leaves no file behind', async () => {
    rig.state.putFile('a.csv', 'a\n1\n');
    addJob(120, ['a.csv']);
    await run();
    const files = (await rig.files()).filter((path) => !/^_(commits|checks)/.test(path));
    rig.clock.ahead += 20 * MINUTE;
    const again = await rig.export({ users: ['ann'], full: true });
    expect(again).toMatchObject({ rows: {}, sessions: { unchanged: 1 } });
    expect((await rig.files()).filter((path) => !/^_(commits|checks)/.test(path))).toEqual(files);
  });

  it('writes of a list that is as it was only that it was proven, and when', async () => {
    addJob(3 * 24 * 60);
    await run();
    rig.clock.ahead += 20 * MINUTE;
    await run();
    const before = await rig.files();
    rig.clock.ahead += 24 * 60 * MINUTE;
    await run();
    const added = (await rig.files()).filter((path) => !before.includes(path));
    expect(added.map((path) => path.replace(/[0-9a-f]{64}/, '…')).toSorted()).toEqual([
      '_commits/000000000003.json',
      '_commits/000000000003.….users.jsonl.gz',
    ]);
    const { log, storage } = await rig.open();
    const commits = [await log.read(2), await log.read(3)];
    expect(commits[1]).toMatchObject({ sessions: [], jobs: null, files: [] });
    const lists = await Promise.all(commits.map((commit) => listedIn({ storage, log }, commit)));
    const [[earlier], [later]] = lists as [UserEntry[], UserEntry[]];
    expect(later).toEqual({ ...earlier, listed_at: later?.listed_at });
    expect(later?.listed_at).not.toBe(earlier?.listed_at);
  });

  it('writes a session again when its name has changed, and only its row', async () => {
    addJob(120);
    await run();
    await renamed('Another name');
    expect(await run()).toMatchObject({ rows: { sessions: 1 }, sessions: { changed: 1 } });
    const names = (await rig.rows('sessions')).map((row) => [row['session_version'], row['name']]);
    expect(names.toSorted().at(-1)).toEqual([2, 'Another name']);
  });

  it('leaves what vanished from the service in the archive', async () => {
    addJob(120);
    rig.state.addSession('ann');
    await run();
    rig.state.deleteSession('ann', session);
    expect(await run()).toMatchObject({ status: 'complete', sessions: { listed: 1 } });
    expect(await rig.rows('jobs')).toHaveLength(1);
    const report = await rig.verify();
    expect(report.problems).toEqual([]);
  });

  async function renamed(name: string): Promise<void> {
    const response = await fetch(`${rig.emulator.baseUrl}/v2/team/sessions/${session}`, {
      method: 'POST',
      headers: { 'x-pd-api-key': 'demo-key', 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'ann', name }),
    });
    expect(response.status).toBe(200);
  }
});
