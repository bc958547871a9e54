/** A host that answers an expired link with a valid picture: several places have the same bytes. */
import { PNG } from 'pngjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { ask } from '../../support/rigs/query-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

const picture = (grey: number): Buffer => {
  const png = new PNG({ width: 8, height: 8 });
  png.data.fill(grey);
  return PNG.sync.write(png);
};
const PLACEHOLDER = picture(1);

function answerWith(keys: readonly string[], id: string): string {
  const images = keys.map((key) => ({
    type: 'IMAGE',
    content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
    group_id: '1',
    stage: 'Respond',
  }));
  const reply = { type: 'MESSAGE', content: `Of ${id}.`, group_id: '-1', stage: 'Respond' };
  const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
  return JSON.stringify({ job_id: id, question, answer: { blocks: [...images, reply] } });
}

/** A session with one job for each list of images. */
function addSession(user: string, id: string, jobs: readonly (readonly string[])[]): void {
  const records = jobs.map((keys) => answerWith(keys, rig.oldJobId()));
  rig.state.addSession(user, { id }, records);
}

async function currentDoubts(): Promise<Record<string, string | null>> {
  const sql = 'SELECT session_id, name, suspicious FROM current_artifacts ORDER BY ALL';
  const { rows } = await ask({ archive: await rig.rig.open(), sql });
  return Object.fromEntries(
    rows.map(([session, name, doubt]) => [`${session}/${name}`, doubt ?? null]),
  );
}

it(
  'is marked at each place, also where it came first, and its sessions stay (I-67)',
  fault('F-161'),
  async () => {
    for (const key of ['a.png', 'b.png', 'c.png', 'd.png']) rig.state.putFile(key, PLACEHOLDER);
    rig.state.putFile('own.png', picture(2));
    addSession('ann', 'one', [['a.png'], ['b.png', 'own.png']]);
    addSession('ann', 'two', [['c.png']]);
    addSession('ben', 'three', [['d.png']]);
    addSession('ben', 'four', [['own.png']]);
    // each checkpoint has one job: what was written first can no longer be changed
    const summary = await rig.rig.export({ checkpointBytes: 1 });
    expect(summary).toMatchObject({ status: 'complete', gaps: [], suspicious_files: 4 });
    expect(summary.artifacts.suspicious).toBe(4);
    const status = await cliJson<{ runs: readonly { jobs: number }[] }>(['status', rig.out]);
    expect(status.runs[0]?.jobs).toBe(summary.jobs.archived);
    const doubts = await currentDoubts();
    for (const place of ['one/a.png', 'one/b.png', 'two/c.png', 'three/d.png']) {
      expect(doubts[place]).toBe('same bytes as other images');
    }
    expect(doubts).toMatchObject({ 'one/own.png': null, 'four/own.png': null });
    expect(await cliJson(['status', rig.out])).toMatchObject({ suspicious_files: 4 });
    expect((await cli(['verify', rig.out])).exitCode).toBe(0);

    // the next run has nothing to do, and the doubt stays
    expect((await rig.rig.export()).jobs.archived).toBe(0);
    expect(outcomes(await rig.pruned())).toEqual({
      ...{ one: 'suspicious', two: 'suspicious', three: 'suspicious' },
      four: 'deleted',
    });
  },
);

it.each([
  [
    'one path in several sessions',
    { one: [['logo.png']], two: [['logo.png']], three: [['logo.png']] },
  ],
  ['several paths in one session', { one: [['a.png', 'b.png'], ['logo.png']] }],
])('is not doubtful under %s', async (_title, sessions) => {
  for (const key of ['a.png', 'b.png', 'logo.png']) rig.state.putFile(key, PLACEHOLDER);
  for (const [id, jobs] of Object.entries(sessions)) addSession('ann', id, jobs);
  await rig.rig.export({ checkpointBytes: 1 });
  expect(Object.values(await currentDoubts()).every((doubt) => doubt === null)).toBe(true);
});

it('is not doubtful at a place that had these bytes before', async () => {
  rig.state.putFile('old.png', PLACEHOLDER);
  rig.state.putFile('new.png', PLACEHOLDER);
  addSession('ann', 'one', [['old.png']]);
  await rig.rig.export();
  addSession('ben', 'two', [['new.png']]);
  await rig.rig.export({ full: true });
  expect(await currentDoubts()).toEqual({ 'one/old.png': null, 'two/new.png': null });
});

it('is a picture again after an export that gets the right one', async () => {
  for (const key of ['a.png', 'b.png']) rig.state.putFile(key, PLACEHOLDER);
  addSession('ann', 'one', [['a.png']]);
  addSession('ben', 'two', [['b.png']]);
  await rig.rig.export();
  rig.state.putFile('a.png', picture(3));
  await rig.rig.export();
  const doubts = await currentDoubts();
  expect(doubts['one/a.png']).toBeNull();
  expect(doubts['two/b.png']).toMatch(/^same bytes/);
});

it('stays doubtful where the other was erased, and says so', async () => {
  for (const key of ['a.png', 'b.png']) rig.state.putFile(key, PLACEHOLDER);
  addSession('ann', 'one', [['a.png']]);
  addSession('ben', 'two', [['b.png']]);
  await rig.rig.export();
  const erase = ['erase', rig.out, '--user', 'ann', '--suppress', '--reason', 'Art. 17', '--yes'];
  expect((await cli(erase)).exitCode).toBe(0);
  await rig.rig.export();
  expect(await currentDoubts()).toEqual({ 'two/b.png': 'same bytes as other images' });
  const { stdout } = await cli(['show', rig.out, '--user', 'ben']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'or a picture that had the same bytes as others when it was fetched, also where these were erased since',
  );
  const content = ['--content', sha256Hex(PLACEHOLDER), '--reason', 'Our logo', '--by', 'Grace'];
  await cli(['gap', 'accept', rig.out, ...content]);
  await rig.rig.export();
  expect(await currentDoubts()).toEqual({ 'two/b.png': null });
});

it('is accepted once and for all by its SHA-256, until that is withdrawn', async () => {
  for (const key of ['a.png', 'b.png', 'c.png']) rig.state.putFile(key, PLACEHOLDER);
  addSession('ann', 'one', [['a.png']]);
  addSession('ben', 'two', [['b.png']]);
  await rig.rig.export();
  const content = ['--content', sha256Hex(PLACEHOLDER), '--reason', 'Our logo', '--by', 'Grace'];
  const accepted = await cli(['gap', 'accept', rig.out, ...content]);
  expect(accepted).toMatchObject({ exitCode: 0, stderr: '' });
  expect(accepted.stdout).toContain('The next export');
  await rig.rig.export();
  addSession('cal', 'three', [['c.png']]);
  await rig.rig.export();
  expect(Object.values(await currentDoubts())).toEqual([null, null, null]);
  expect(await cliJson(['status', rig.out])).toMatchObject({ suspicious_files: 0 });

  expect((await cli(['gap', 'withdraw', rig.out, ...content])).exitCode).toBe(0);
  rig.state.putFile('d.png', PLACEHOLDER);
  rig.state.putFile('e.png', PLACEHOLDER);
  addSession('ann', 'four', [['d.png']]);
  addSession('ben', 'five', [['e.png']]);
  await rig.rig.export();
  expect((await currentDoubts())['four/d.png']).toMatch(/^same bytes/);
  expect(outcomes(await rig.pruned())).toMatchObject({ one: 'deleted', four: 'suspicious' });
});

it('comes back in a drill, which compares images with those of their own places', async () => {
  for (const key of ['a.png', 'b.png', 'c.png']) rig.state.putFile(key, PLACEHOLDER);
  addSession('ann', 'one', [['a.png'], ['b.png']]);
  addSession('ben', 'two', [['c.png']]);
  await rig.rig.export({ checkpointBytes: 1 });
  expect(await currentDoubts()).not.toMatchObject({ 'one/a.png': null });
  expect(await cliJson(['drill', rig.out])).toMatchObject({ differences: 0, differing: [] });
});
