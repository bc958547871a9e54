/** `users` and `runs`: who was read and when, with the columns of a users file, and what the data are as of. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchive, type ArchiveStatus, type UserRow } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ana', 's-ana', 'Shared', [{ question: 'Which?', id: 'j-1' }]);
  people.talk('Ana', 's-ana', 'Shared', [{ question: 'Which?', id: 'j-1' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-2' }]);
  await people.rig.archived();
});
afterEach(() => people[Symbol.asyncDispose]());

type Row = Record<string, unknown>;

async function rows(sql: string, ...words: string[]): Promise<Row[]> {
  return (await cliJson<{ rows: Row[] }>(['query', people.rig.out, sql, ...words])).rows;
}

async function usersFile(text: string): Promise<string> {
  const file = join(people.rig.directory, 'users.csv');
  await writeFile(file, text);
  return file;
}

describe('users', () => {
  it('has every spelling, the person that it is of, and when it was read first and last', async () => {
    const sql = `SELECT user_id, person, is_in_users_file, first_seen_at <= last_seen_at AS ordered
      FROM users ORDER BY user_id`;
    const known = { is_in_users_file: null, ordered: true };
    expect(await rows(sql)).toEqual([
      { user_id: 'Ana', person: 'Ana', ...known },
      { user_id: 'ana', person: 'Ana', ...known },
      { user_id: 'ben', person: 'ben', ...known },
    ]);
  });

  it('keeps when somebody was seen first, and moves when last', async () => {
    const sql = "SELECT first_seen_at, last_seen_at FROM users WHERE user_id = 'ben'";
    const [before] = await rows(sql);
    people.rig.clock.ahead = 86_400_000;
    await people.rig.export();
    const [after] = await rows(sql);
    expect(after?.['first_seen_at']).toBe(before?.['first_seen_at']);
    expect(String(after?.['last_seen_at']) > String(before?.['last_seen_at'])).toBe(true);
  });

  it('joins a users file by id, else by spelling, and has who was never read', async () => {
    const file = await usersFile(
      'user_id;Team;person\nANA;Sales;x\nben;Labs;y\ncat;Labs;\n# a comment\n',
    );
    const sql = 'SELECT user_id, person, is_in_users_file, team, file_person FROM users ORDER BY 1';
    expect(await rows(sql, '--users-file', file)).toEqual([
      { user_id: 'Ana', person: 'Ana', is_in_users_file: true, Team: 'Sales', file_person: 'x' },
      { user_id: 'ana', person: 'Ana', is_in_users_file: true, Team: 'Sales', file_person: 'x' },
      { user_id: 'ben', person: 'ben', is_in_users_file: true, Team: 'Labs', file_person: 'y' },
      { user_id: 'cat', person: 'cat', is_in_users_file: true, Team: 'Labs', file_person: null },
    ]);
    const adoption = `SELECT team, count(DISTINCT person) AS people, count(DISTINCT person) FILTER (job_id IS NOT NULL) AS asked
      FROM users LEFT JOIN v_questions USING (user_id) GROUP BY ALL ORDER BY 1`;
    expect(await rows(adoption, '--users-file', file)).toEqual([
      { Team: 'Labs', people: 2, asked: 1 },
      { Team: 'Sales', people: 1, asked: 1 },
    ]);
  });

  it('says who is not in the users file, and takes one without a heading', async () => {
    const file = await usersFile('ben\n');
    const sql = 'SELECT user_id, is_in_users_file AS listed FROM users ORDER BY 1';
    expect(await rows(sql, '--users-file', file)).toEqual([
      { user_id: 'Ana', listed: false },
      { user_id: 'ana', listed: false },
      { user_id: 'ben', listed: true },
    ]);
  });

  it('does not read a file that the SQL has no use for, and refuses one that cannot be right', async () => {
    expect(await rows('SELECT 1 AS n', '--users-file', 'nosuch.csv')).toEqual([{ n: 1 }]);
    const refused = async (file: string) => {
      const run = await cli(['query', people.rig.out, 'FROM users', '--users-file', file]);
      return [run.exitCode, run.stderr.split('\n')[0]];
    };
    expect(await refused('nosuch.csv')).toEqual([
      2,
      'jobvault: --users-file nosuch.csv cannot be read: there is no such file or directory (ENOENT)',
    ]);
    const twice = await usersFile('user_id,team,Team\nben,a,b\n');
    expect(await refused(twice)).toEqual([
      2,
      `jobvault: --users-file ${twice} has two columns Team; one name stands for one`,
    ]);
    const page = await usersFile('<!DOCTYPE html>\n<html><title>Sign in</title></html>\n');
    expect(await refused(page)).toEqual([
      2,
      'jobvault: the list of users has "<!DOCTYPE html>" as an id: it looks like a web page; write the users file again',
    ]);
    const empty = await usersFile('');
    expect(await refused(empty)).toEqual([
      2,
      `jobvault: --users-file ${empty} has no user; allowed is one user per line, or CSV with a column user_id`,
    ]);
  });

  it('warns of a users file whose lines of one user say different things', async () => {
    const warnings = async (text: string) => {
      const words = ['--users-file', await usersFile(text), '--log-format', 'text'];
      return (await cli(['query', people.rig.out, 'FROM users', ...words])).stderr;
    };
    const differ = /lines of one user that differ: .*"users":\["ben"\],"count":1/;
    expect(await warnings('user_id,team\nben,Sales\nBEN,Labs\nana,Ops\n')).toMatch(differ);
    expect(await warnings('user_id,team\nben,Sales\nben,Labs\nana,Ops\n')).toMatch(differ);
    expect(await warnings('user_id,team\nben,Sales\nBEN,Sales\nana,Ops\n')).not.toMatch(differ);
  });

  it('refuses a users file for a pseudonymised copy, in which no id of it is found', async () => {
    const [copy, key] = ['copy', 'key'].map((name) => join(people.rig.directory, name));
    await writeFile(key ?? '', Buffer.alloc(32, 'k'));
    const copied = await cli(['copy', people.rig.out, copy ?? '', '--pseudonymise', key ?? '']);
    expect(copied.exitCode, copied.stderr).toBe(0);
    const file = await usersFile('user_id,team\nben,Labs\n');
    const places = [[copy ?? ''], [people.rig.out, copy ?? '']];
    for (const words of places.flatMap((some) => [
      [...some, 'FROM users'],
      [...some, '--views'],
    ])) {
      const run = await cli(['query', ...words, '--users-file', file]);
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(
        `no users file fits ${copy}: it is a pseudonymised copy, whose ids are digests`,
      );
    }
    const run = await cli(['query', copy ?? '', 'SELECT count(*) FROM jobs', '--users-file', file]);
    expect(run.exitCode, run.stderr).toBe(0);
  });

  it('refuses rows of a program whose cells are no texts, by name', async () => {
    const users = [{ user_id: 'ben', share: 0.5 }] as unknown as UserRow[];
    const archive = await openArchive(people.rig.out);
    const reason = 'row 1 of users has 0.5 (number) as share; allowed is a text or null';
    await expect(archive.query('FROM users', { users })).rejects.toThrow(reason);
    await expect(archive.views({ users })).rejects.toThrow(reason);
    await archive.close();
  });

  it('does not say of a pseudonymised copy that everybody came on the day on which it was made', async () => {
    const [copy = '', key = ''] = ['copy', 'key'].map((name) => join(people.rig.directory, name));
    await writeFile(key, Buffer.alloc(32, 'k'));
    people.rig.clock.ahead = 86_400_000;
    const copied = await cli(['copy', people.rig.out, copy, '--pseudonymise', key]);
    expect(copied.exitCode, copied.stderr).toBe(0);
    const sql = `SELECT count(*) AS users, count(first_seen_at) AS first,
      bool_and(last_seen_at = date_trunc('day', last_seen_at)) AS days FROM users`;
    const told = await cliJson<{ rows: Row[] }>(['query', copy, sql]);
    expect(told.rows).toEqual([{ users: 3, first: 0, days: true }]);
  });
});

describe('runs', () => {
  it('tells time, scope, outcome and commit, and joins to the rows that a run wrote', async () => {
    await people.rig.export();
    const sql = `SELECT kind, scope, is_complete, outcome, first_commit, last_commit, jobs,
      (SELECT count(*) FROM jobs WHERE jobs.run_id = runs.run_id) AS rows
      FROM runs ORDER BY first_commit`;
    expect(await rows(sql)).toMatchObject([
      { kind: 'export', is_complete: true, outcome: 'complete', jobs: 3, rows: 3 },
      { kind: 'export', is_complete: true, outcome: 'complete', jobs: 0, rows: 0 },
    ]);
    const asOf = `SELECT max(began_at) <= (SELECT min(last_seen_at) FROM users) AS before_all,
      bool_and(began_at <= ended_at) AS ordered FROM runs WHERE is_complete`;
    expect(await rows(asOf)).toEqual([{ before_all: true, ordered: true }]);
  });

  it('begin when they began, in status, too', async () => {
    await people.rig.export();
    const began = await rows('SELECT epoch_ms(began_at) AS ms FROM runs ORDER BY first_commit');
    const { runs, last_export: last } = await cliJson<ArchiveStatus>(['status', people.rig.out]);
    const told = runs.map((run) => Date.parse(run.began)).reverse();
    expect(told).toEqual(began.map(({ ms }) => Number(ms)));
    expect(last?.began).toBe(runs[0]?.began);
  });

  it('still says whether everybody was read after sessions were erased, and not after a user was', async () => {
    const asOf = "SELECT count(*) AS known FROM runs WHERE scope = 'all' AND outcome = 'complete'";
    const runs = `SELECT scope, outcome, is_complete FROM runs WHERE kind = 'export'`;
    await people.rig.export();
    const before = await rows(runs);
    expect(before).toHaveLength(2);
    const erase = async (...words: string[]) => {
      const end = await cli(['erase', people.rig.out, ...words, '--reason', 'r', '--yes']);
      expect(end.exitCode, end.stderr).toBe(0);
    };
    await erase('--session', 's-ben');
    expect(await rows(runs)).toEqual(before);
    await erase('--user', 'ben');
    expect(await rows(asOf)).toEqual([{ known: 0 }]);
    await people.rig.export();
    expect(await rows(runs)).toContainEqual(expect.objectContaining({ is_complete: true }));
  });

  it('says nothing of scope and completeness of a run that is no export', async () => {
    await cli(['hold', 'add', people.rig.out, '--user', 'ben', '--reason', 'r', '--by', 'b']);
    expect(await rows("SELECT scope, is_complete, outcome FROM runs WHERE kind = 'hold'")).toEqual([
      { scope: null, is_complete: null, outcome: null },
    ]);
  });
});

it('the views that are printed have both, also where they are read by another DuckDB', async () => {
  const file = await usersFile('user_id,team\nben,Labs\n');
  const { stdout, exitCode } = await cli([
    'query',
    people.rig.out,
    '--views',
    '--users-file',
    file,
  ]);
  expect(exitCode).toBe(0);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(stdout);
  const teams = await connection.runAndReadAll('SELECT user_id, team FROM users ORDER BY 1');
  expect(teams.getRowsJson()).toEqual([
    ['Ana', null],
    ['ana', null],
    ['ben', 'Labs'],
  ]);
  const complete = await connection.runAndReadAll('SELECT count(*) FROM runs WHERE is_complete');
  expect(complete.getRowsJson()).toEqual([['1']]);
});

it('an archive without a question has its user and its run', async () => {
  await using empty = await SearchRig.start();
  empty.talk('zoe', 's', 'x', []);
  await empty.rig.archived();
  const { rows: found } = await cliJson<{ rows: Row[] }>([
    ...[
      'query',
      empty.rig.out,
      'SELECT (SELECT count(*) FROM users) AS u, (SELECT count(*) FROM runs) AS r',
    ],
  ]);
  expect(found).toEqual([{ u: 1, r: 1 }]);
});
