import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usersNotFinished, type ExportSummary } from '../../src/export/export-summary.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { duckDbColumns } from '../support/tables/duckdb-rows.js';
import {
  EXPORTED_TABLES,
  contractColumns,
  contractKey,
} from '../support/tables/contract-tables.js';
import { fault } from '../support/base/fault.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const tables = EXPORTED_TABLES;

describe('an archive that the program has just made', () => {
  let rig: CliRig;
  let summary: ExportSummary;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 3, sessions: 8, jobs: 12 });
    summary = await rig.export({ isProgram: true });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const jobsServed = () =>
    rig.state.userIds().flatMap((user) =>
      rig.state.sessionIds(user).flatMap((session) =>
        rig.state.jobIds(user, session).map((job) => ({
          user,
          session,
          job,
          keys: rig.state.fileKeys(user, session, job),
          record: JSON.parse(rig.state.jobText(user, session, job)) as {
            question: { blocks: unknown[] };
            answer: { blocks: unknown[] };
          },
        })),
      ),
    );

  it.each(tables)('has exactly the promised columns and types in %s', async (table) => {
    expect(await duckDbColumns(rig.tableOf(table))).toEqual(contractColumns(table));
  });

  it.each(tables)('has every key once, and no null in it, in %s', async (table) => {
    const key = contractKey(table);
    const [row] = await rig.select(
      table,
      `count(*)::INTEGER AS total, count(DISTINCT (${key}))::INTEGER AS keys,
       (count(*) FILTER (${key.split(', ').join(' IS NULL OR ')} IS NULL))::INTEGER AS nulls`,
    );
    expect(row?.['total']).toBeGreaterThan(0);
    expect(row).toEqual({ total: row?.['total'], keys: row?.['total'], nulls: 0 });
  });

  it('holds as many sessions, jobs and blocks as the service', async () => {
    const { sessions, jobs, answerBlocks } = rig.state.totals();
    expect(await rig.countOf('sessions')).toBe(sessions);
    expect(await rig.countOf('jobs')).toBe(jobs);
    expect(await rig.countOf('raw_jobs')).toBe(jobs);
    const answers = await rig.select('blocks', 'count(*)::INTEGER AS n', "WHERE role = 'answer'");
    expect(answers).toEqual([{ n: answerBlocks }]);
    const questions = await rig.select(
      'blocks',
      'count(*)::INTEGER AS n',
      "WHERE role = 'question'",
    );
    const asked = jobsServed().reduce((sum, { record }) => sum + record.question.blocks.length, 0);
    expect(questions).toEqual([{ n: asked }]);
  });

  it('holds every job under its user and session', async () => {
    const rows = await rig.select('jobs', 'user_id, session_id, job_id');
    const archived = rows.map((row) => `${row['user_id']} ${row['session_id']} ${row['job_id']}`);
    const served = jobsServed().map(({ user, session, job }) => `${user} ${session} ${job}`);
    expect(archived.sort()).toEqual(served.sort());
  });

  it('holds every file, with the bytes that the file host serves', async () => {
    const rows = await rig.select('artifacts', 'url, status, sha256, bytes, path');
    const byUrl = new Map(rows.map((row) => [row['url'], row]));
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['stored']));
    const linked = /linked.*\.csv/; // mentioned in a text, not in a block of its own
    const keys = jobsServed().flatMap((job) => job.keys.filter((key) => !linked.test(key)));
    expect(keys.length).toBeGreaterThan(100);
    for (const key of new Set(keys)) {
      const served = rig.state.file(key)!.bytes;
      const row = byUrl.get(rig.state.urlOf(key))!;
      expect(row).toMatchObject({ sha256: sha256(served), bytes: BigInt(served.length) });
      const stored = await readFile(join(rig.out, String(row['path'])));
      expect(sha256(stored)).toBe(row['sha256']);
    }
  });

  it('stores equal files once', async () => {
    const rows = await rig.select('artifacts', 'DISTINCT sha256, path', 'ORDER BY path');
    expect(await rig.files('artifacts')).toEqual(rows.map((row) => row['path']));
    expect(rows).toHaveLength(summary.artifacts.stored);
  });

  it('is summed up in one line of JSON of the documented shape', async () => {
    const { sessions, jobs } = rig.state.totals();
    const rows = Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, await rig.countOf(table)] as const)),
    );
    const bytes = await rig.select('artifacts', 'DISTINCT sha256, bytes');
    // the seeded history has tables without a byte in them
    const empty = (await rig.select('artifacts', 'bytes')).filter((row) => row['bytes'] === 0n);
    expect(empty.length).toBeGreaterThan(0);
    expect(summary).toEqual({
      status: 'complete',
      archive: rig.out,
      run: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      commits: [1],
      users: { ...usersNotFinished(0), total: 3, complete: 3 },
      sessions: { listed: sessions, new: sessions, changed: 0, unchanged: 0, failed: 0 },
      jobs: { archived: jobs, unchanged: 0 },
      rows,
      artifacts: {
        stored: bytes.length,
        reused: (rows['artifacts'] ?? 0) - bytes.length,
        suspicious: empty.length,
        expired: 0,
        forbidden: 0,
        missing: 0,
        rejected: 0,
        unresolved: 0,
        failed: 0,
        not_fetched: 0,
        bytes: Number(bytes.reduce((sum, row) => sum + (row['bytes'] as bigint), 0n)),
      },
      suspicious_files: empty.length,
      deletions: { deleted: 0, refused: 0, left: 0, held: 0 },
      requests: {
        api: rig.emulator.stats.totalRequests,
        files: rig.emulator.stats.fileRequests,
        retries: 0,
        rate_limited: 0,
      },
      at_the_cap: [],
      never_seen: [],
      newly_never_seen: [],
      vanished: [],
      newly_vanished: [],
      shared_sessions: [],
      clock_gap_ms: 0,
      altered_texts: 0,
      gaps: [],
      left_gaps: 0,
      duration_ms: expect.any(Number),
    });
  });

  it('passes verify, which says so in words and as JSON', async () => {
    const [words, json] = await Promise.all([
      rig.run(['verify', rig.out]),
      rig.run(['verify', rig.out, '--json']),
    ]);
    expect(words).toMatchObject({ exitCode: 0, stderr: '' });
    expect(words.stdout).toMatch(/^Intact: /);
    expect(json.exitCode).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'intact',
      commits: 1,
      rows: summary.rows,
      problems: [],
      orphans: [],
    });
  });

  it(
    'is damaged for verify, with exit code 4 and the file named, when one byte differs',
    fault('F-30', 'F-63'),
    async () => {
      const [path = ''] = await rig.files('artifacts');
      const file = join(rig.out, path);
      const bytes = await readFile(file);
      try {
        await writeFile(file, Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)]));
        const end = await rig.run(['verify', rig.out]);
        expect(end.exitCode).toBe(4);
        expect(end.stdout).toContain(path);
      } finally {
        await writeFile(file, bytes);
      }
    },
  );

  it('tells the files of a table, each of which exists', async () => {
    const end = await rig.run(['files', rig.out, 'jobs']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const told = end.stdout.trim().split('\n');
    const there = (await rig.parts('tables/jobs')).map((path) => join(rig.out, path));
    expect(told).toEqual(there);
    const json = JSON.parse((await rig.run(['files', rig.out, 'jobs', '--json'])).stdout) as {
      files: { path: string; rows: number; sha256: string }[];
    };
    expect(json.files.map(({ path }) => join(rig.out, path))).toEqual(there);
    expect(json.files[0]?.rows).toBe(summary.jobs.archived);
    expect(json.files[0]?.sha256).toBe(sha256(await readFile(there[0]!)));
  });

  it('shows a conversation: every question and answer, oldest first', async () => {
    const user = rig.state.userIds()[0]!;
    const session = rig.state.sessionIds(user)[0]!;
    const jobIds = rig.state.jobIds(user, session);
    const end = await rig.run(['show', rig.out, session]);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const places = jobIds.map((id) => end.stdout.indexOf(id));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    const [row] = await rig.select(
      'jobs',
      'question_text, answer_text',
      `WHERE job_id = '${jobIds[1]}' AND session_id = '${session}'`,
    );
    const one = await rig.run(['show', rig.out, session, jobIds[1]!]);
    expect(one.stdout).toContain(`Q: ${String(row?.['question_text'])}`);
    expect(one.stdout).toContain(String(row?.['answer_text']).split('\n')[0]);
    expect(one.stdout).not.toContain(jobIds[0]);
  });

  it('shows one job as JSON', async () => {
    const user = rig.state.userIds()[0]!;
    const session = rig.state.sessionIds(user)[0]!;
    const job = rig.state.jobIds(user, session)[0]!;
    const end = await rig.run(['show', rig.out, session, job, '--json']);
    const shown = JSON.parse(end.stdout) as {
      session: Record<string, unknown>;
      jobs: { job: Record<string, unknown>; blocks: unknown[] }[];
    };
    expect(shown.session).toMatchObject({ user_id: user, session_id: session });
    expect(shown.jobs.map((each) => each.job['job_id'])).toEqual([job]);
    const { record } = jobsServed().find((each) => each.job === job)!;
    expect(shown.jobs[0]?.blocks).toHaveLength(
      record.question.blocks.length + record.answer.blocks.length,
    );
  });

  it.each([
    [['show', 'OUT', 'no-such-session'], 'has no session "no-such-session"'],
    [['files', 'OUT', 'jbos'], 'there is no table "jbos"'],
    [['verify', '/no/such/place'], 'is not a jobvault archive'],
  ])('ends %j with one sentence and exit code 2', async (words, sentence) => {
    const end = await rig.run(words.map((word) => (word === 'OUT' ? rig.out : word)));
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(sentence);
    expect(end.stderr).toMatch(/^jobvault: [^\n]+\nTry jobvault \w+ --help\.\n$/);
  });
});
