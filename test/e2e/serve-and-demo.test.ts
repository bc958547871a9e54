import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/programs/cli-in-process.js';
import { CliProcess, runCliProcess } from '../support/programs/cli-process.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { duckDbRows } from '../support/tables/duckdb-rows.js';

it('jobvault serve says where it answers, does as it is told, and ends when it is told to', async () => {
  const words = ['serve', '--port', '0', '--users', '2', '--overview-code', 'plain', '--json'];
  const serving = new CliProcess(words);
  const line = JSON.parse(await serving.untilStdout(/\n/)) as Record<string, string> & {
    users: string[];
  };
  expect(line['users']).toHaveLength(2);
  const ask = async (path: string): Promise<unknown> => {
    const url = `${line['base_url']}/v2/team/${path}?user_id=${line.users[0]}`;
    const answer = await fetch(url, { headers: { 'x-pd-api-key': line['api_key'] ?? '' } });
    return await answer.json();
  };
  expect(await ask('sessions')).toMatchObject({ code: 0, data: { total_items: 8 } });
  // as other clients expect it; by default it is an object, as the service sends it
  const datasets = (await ask('datasets')) as { data: { records: { id: string }[] } };
  const overview = await ask(`datasets/${datasets.data.records[0]?.id}/overview`);
  expect(overview).toMatchObject({ code: 0 });
  serving.kill('SIGTERM');
  expect(await serving.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

it('jobvault serve says to people what to try', async () => {
  const serving = new CliProcess(['serve', '--port', '0', '--users', '4']);
  const told = await serving.untilStdout(/ends it\.\n/);
  expect(told).toMatch(
    /^The emulator answers at (http:\/\/127\.0\.0\.1:\d+) \(files at http:\/\/127\.0\.0\.1:\d+\)\.\nAPI key: demo-key\. 4 users: (\S+), \S+, \S+, … \(all: --json\)\nTry: JOBVAULT_API_KEY=demo-key jobvault export --base-url \1 --user \2 --out \.\/archive\nCtrl-C ends it\.\n$/,
  );
  serving.kill('SIGTERM');
  expect(await serving.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

describe('jobvault demo', () => {
  const repository = process.cwd();
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-demo-'));
  });
  afterAll(async () => {
    process.chdir(repository);
    await rm(directory, { recursive: true, force: true });
  });

  it(
    'leaves a verified archive that DuckDB reads, and starts over the second time',
    { timeout: 240_000 },
    async () => {
      const words = await runCliProcess(['demo'], { directory });
      expect(words.exitCode).toBe(0);
      expect(words.stdout).toMatch(/Complete\S* after /);
      expect(words.stdout).toContain('Intact: ');
      const look = words.stdout.slice(words.stdout.indexOf('Look at it:'));
      const session = /show jobvault-demo (\S+)/.exec(look)?.[1] ?? '';
      expect(look).toBe(
        [
          'Look at it:',
          '  jobvault-demo-report/index.html   the conversations: open it in a browser',
          '  jobvault-demo/workbooks/          the tables as a workbook, for Excel or LibreOffice',
          '  jobvault-demo/artifacts/          every table and image, named by its SHA-256',
          '  jobvault query jobvault-demo "SELECT question_text, answer_text FROM jobs LIMIT 5"',
          `  jobvault show jobvault-demo ${session}`,
          '  jobvault verify jobvault-demo',
          '  jobvault drill jobvault-demo   restores it from itself, and compares every row and file',
          '',
        ].join('\n'),
      );
      process.chdir(directory);
      const drilled = await cli(['drill', 'jobvault-demo']);
      expect(drilled.exitCode).toBe(0);
      expect(drilled.stdout).toMatch(
        /^\d{4}-\S+Z: \S+jobvault-demo as of commit 1 was restored from itself: 24 conversations, \d+ questions, [\d,]+ rows and \d+ distinct files \([\d.]+ MB\), all equal\n$/,
      );
      const query = /jobvault query jobvault-demo "([^"]+)"/.exec(words.stdout)?.[1] ?? '';
      const asked = await cli(['query', 'jobvault-demo', query, '--json']);
      const { rows } = JSON.parse(asked.stdout) as { readonly rows: readonly unknown[] };
      expect(rows).toHaveLength(5); // the query that it suggests works
      const names = `SELECT name FROM '${directory}/jobvault-demo/tables/sessions/dt=*/*.parquet'`;
      const odd = (await duckDbRows(names)).filter(({ name }) => /^[=.“]|<b>/.test(String(name)));
      expect(odd).toEqual([]); // a first look is at a company's data
      const artifacts = `'${directory}/jobvault-demo/tables/artifacts/dt=*/*.parquet'`;
      const files = await duckDbRows(`SELECT DISTINCT name, kind, bytes FROM ${artifacts}`);
      expect(files.length).toBeGreaterThan(50);
      const strange = files.filter(({ name }) =>
        /^[=+@.\s]|[<>/\\|?]|^(?:CON|NUL)\b/i.test(String(name)),
      );
      expect(strange).toEqual([]);
      expect(files.filter(({ kind, bytes }) => kind === 'TABLE' && Number(bytes) < 40)).toEqual([]);
      const again = await cli(['demo', '--json']);
      expect(JSON.parse(again.stdout)).toMatchObject({
        status: 'complete',
        commits: [1],
        verified: true,
        report: 'jobvault-demo-report',
        users: { total: 3, complete: 3, failed: 0 },
      });
      const out = join(directory, 'jobvault-demo');
      expect(await readdir(join(out, '_commits'))).toHaveLength(3); // a commit and its lists of jobs and users
      expect(await readdir(join(out, 'workbooks'))).toHaveLength(1);
      expect((await readdir(`${out}-report`)).sort()).toEqual(['data', 'index.html']);
    },
  );

  it('removes nothing that a demo has not made', async () => {
    const other = join(directory, 'other');
    await mkdir(other);
    await writeFile(join(other, 'letter.txt'), 'Dear');
    const end = await cli(['demo', '-o', other]);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await readdir(other)).toEqual(['letter.txt']);

    await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    await rig.export();
    const before = await rig.files();
    const refused = await rig.run(['demo', '--out', rig.out]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('not of an earlier demo; name another place with --out');
    expect(await rig.files()).toEqual(before);
  });
});
