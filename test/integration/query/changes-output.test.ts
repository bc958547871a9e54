/** What `changes` prints of one archive: lines, JSON, a table, keys, and why it prints nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oldJob } from '../../support/programs/pieced-export.js';
import { CliRig } from '../../support/rigs/cli-rig.js';

interface Line {
  readonly table: string | null;
  readonly [column: string]: unknown;
}

function linesIn(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Two users with two conversations each, exported. */
async function exported(...words: string[]): Promise<CliRig> {
  const made = await CliRig.start({ users: 0 });
  for (const user of ['ann', 'ben']) {
    for (const id of ['1', '2']) {
      const when = Date.now() - 48 * 3_600_000;
      const jobs = Array.from({ length: 3 }, () => oldJob(made.state.newJobId(when)));
      made.state.addSession(user, { id: user + id }, jobs);
    }
  }
  await made.export({ words });
  return made;
}

let rig: CliRig;
beforeAll(async () => {
  rig = await exported();
});
afterAll(() => rig[Symbol.asyncDispose]());

it('every key of a row is told by --keys', async () => {
  const keys = linesIn((await rig.run(['changes', rig.out, '--keys'])).stdout);
  const jobs = keys.filter(({ table }) => table === 'jobs').map(({ job_id: job }) => job);
  const rows = await rig.select('jobs', 'job_id');
  expect(jobs.sort()).toEqual(rows.map(({ job_id: job }) => job).sort());
});

it('the output as JSON is one line with the same changes, and the library has them, too', async () => {
  const lines = (await rig.run(['changes', rig.out, '--since', '0'])).stdout.trim().split('\n');
  const { stdout } = await rig.run(['changes', rig.out, '--since', '0', '--json']);
  const { commit: through, archive_id: id } = JSON.parse(lines.at(-1) ?? '') as Line;
  expect(JSON.parse(stdout)).toEqual({
    archive: rig.out,
    archive_id: id,
    since: 0,
    through,
    changes: lines.slice(0, -1).map((line) => JSON.parse(line) as Line),
  });
  const none = await rig.run(['changes', rig.out, '--since', String(through), '--json']);
  expect(JSON.parse(none.stdout)).toEqual({
    ...{ archive: rig.out, archive_id: id, since: through, through },
    changes: [],
  });
});

it('the output for people is a table that ends with the next cursor', async () => {
  const words = ['changes', rig.out, '--since', '0', '--output', 'table'];
  const { stdout } = await rig.run(words);
  expect(stdout).toMatch(/^commit +at +change +table +user +session +job +version\n/);
  expect(stdout).toMatch(/\n1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +added +sessions +ann +ann1 +1\n/);
  expect(stdout).toMatch(/\n16 changes after commit 0\. Next time: --since [0-9A-Z]{26}:\d+\n$/);
});

it.each([
  [[], 'nothing says since when'],
  [['--since', '99'], 'has no commit 99'],
  [['--since', 'soon'], '--since is "soon"'],
  [['--since', '01KBD3N5Q8RZ4T6V7W9XAYBCDE:1'], 'is the cursor of another archive'],
  [['--since', '0', '--json', '--output', 'table'], 'exclude each other'],
  [['--since-time', 'soon'], '--since-time is "soon"'],
])('the output with %j is a refusal', async (words, message) => {
  const end = await rig.run(['changes', rig.out, ...words]);
  expect(end.exitCode).toBe(2);
  expect(end.stdout + end.stderr).toContain(message);
});

it('a program is told that the datasets were written', async () => {
  await using other = await exported('--with-datasets');
  const end = await other.run(['changes', other.out, '--since', '0', '--json']);
  const { changes } = JSON.parse(end.stdout) as { changes: Line[] };
  const about = changes.filter(({ table }) => table === 'datasets');
  expect(about.length).toBe((await other.parts('tables/datasets')).length);
});
