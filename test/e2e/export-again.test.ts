import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { EXPORTED_TABLES, contractKey } from '../support/tables/contract-tables.js';

describe('a second export into an archive', () => {
  let rig: CliRig;
  let first: ExportSummary;
  let before: string[];

  beforeEach(async () => {
    rig = await CliRig.start();
    first = await rig.export();
    before = await rig.files();
    rig.emulator.stats.reset();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const newFiles = async () => (await rig.files()).filter((path) => !before.includes(path));
  const doubledKeys = async () => {
    const doubled: string[] = [];
    for (const table of EXPORTED_TABLES) {
      const key = contractKey(table);
      const rows = await rig.select(table, key, `GROUP BY ${key} HAVING count(*) > 1`);
      doubled.push(...rows.map((row) => `${table} ${Object.values(row).join(' ')}`));
    }
    return doubled;
  };
  /** Of every file that the first run has left but the lap. */
  const contentsBefore = async () => {
    const paths = before.filter((path) => !path.startsWith('_laps/'));
    const read = async (path: string) => [path, await readFile(join(rig.out, path), 'base64')];
    return Promise.all(paths.map(read));
  };
  const someSession = () => {
    const user = rig.state.userIds()[0]!;
    return { user, session: rig.state.sessionIds(user)[0]! };
  };

  it('finds nothing new with a request a user and one a session, and writes one small commit', async () => {
    // one each for what totals of lists count, and those of histories, and one that shows whose project it is
    const summary = await rig.export();
    expect(summary).toMatchObject({
      status: 'complete',
      commits: [2],
      rows: {},
      jobs: { archived: 0 },
      sessions: { listed: 6, new: 0, changed: 0, unchanged: 6, failed: 0 },
      artifacts: { stored: 0, reused: 0, bytes: 0 },
      requests: { api: 11, files: 0, retries: 0, rate_limited: 0 },
    });
    const { requests, totalRequests, fileRequests } = rig.emulator.stats;
    expect({ ...requests }).toMatchObject({ listSessions: 4, getHistory: 7 });
    expect([totalRequests, fileRequests]).toEqual([11, 0]);
    expect(await newFiles()).toEqual([
      expect.stringMatching(/^_commits\/000000000002\.[0-9a-f]{64}\.users\.jsonl\.gz$/),
      '_commits/000000000002.json',
    ]);
    expect((await stat(join(rig.out, '_commits/000000000002.json'))).size).toBeLessThan(2000);
  });

  it('adds one row to jobs after a new job, doubles nothing and changes no file that was there', async () => {
    const old = await contentsBefore();
    const { user, session } = someSession();
    const job = rig.state.addJob(user, session);
    const summary = await rig.export();
    expect(summary).toMatchObject({
      jobs: { archived: 1 },
      rows: { jobs: 1, raw_jobs: 1, sessions: 1 },
      sessions: { listed: 6, new: 0, changed: 1, unchanged: 5, failed: 0 },
    });
    expect(await rig.countOf('jobs')).toBe((first.rows['jobs'] ?? 0) + 1);
    const rows = await rig.select('jobs', 'job_id, job_version', `WHERE run_id = '${summary.run}'`);
    expect(rows).toEqual([{ job_id: job, job_version: 1 }]);
    expect(await doubledKeys()).toEqual([]);
    expect(await contentsBefore()).toEqual(old);
    expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
  });

  it('writes a changed job as its version 2 and keeps version 1', async () => {
    const { user, session } = someSession();
    const job = rig.state.jobIds(user, session)[1]!;
    rig.state.growAnswer(user, session, job, 'One thing more.');
    await rig.export({ words: ['--full'] });
    const rows = await rig.select(
      'jobs',
      "job_version, contains(answer_text, 'One thing more.') AS grown",
      `WHERE job_id = '${job}' ORDER BY job_version`,
    );
    expect(rows).toEqual([
      { job_version: 1, grown: false },
      { job_version: 2, grown: true },
    ]);
    expect(await doubledKeys()).toEqual([]);
    const shown = await rig.run(['show', rig.out, session, job]);
    expect(shown.stdout).toContain('version 2');
    expect(shown.stdout).toContain('One thing more.');
  });

  it('finds a new session with its jobs', async () => {
    const { user } = someSession();
    const session = rig.state.addSession(user, { name: 'A new idea' });
    rig.state.addJobs(user, session, 2);
    const summary = await rig.export();
    expect(summary).toMatchObject({ sessions: { listed: 7, new: 1 }, jobs: { archived: 2 } });
    const rows = await rig.select('sessions', 'name, job_count', `WHERE session_id = '${session}'`);
    expect(rows).toEqual([{ name: 'A new idea', job_count: 2 }]);
  });
});
