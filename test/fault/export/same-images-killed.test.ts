/** The built program, killed when images are in doubt and those that came first are not marked yet: the next run marks them. */
import { readdir, readFile, watch } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliRig } from '../../support/rigs/cli-rig.js';

const CREATED_MS = Date.UTC(2026, 0, 5);

let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

function answerWith(key: string, id: string): string {
  const content = { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' };
  const blocks = [{ type: 'IMAGE', content, group_id: '1', stage: 'Respond' }];
  const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
  return JSON.stringify({ job_id: id, question, answer: { blocks } });
}

function addSession(user: string, id: string, key: string): void {
  rig.state.addSession(user, { id }, [answerWith(key, rig.state.newJobId(CREATED_MS))]);
}

/** Resolves when a commit names the session. */
async function committed(session: string): Promise<void> {
  const folder = join(rig.out, '_commits');
  const named = async (): Promise<boolean> => {
    const names = await readdir(folder);
    const texts = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFile(join(folder, name), 'utf8')),
    );
    return texts.some((text) => text.includes(`"${session}"`));
  };
  const ended = new AbortController();
  const changes = watch(folder, { signal: ended.signal })[Symbol.asyncIterator]();
  for (let isNamed = await named(); !isNamed; isNamed = await named()) await changes.next();
  ended.abort();
}

async function images(): Promise<readonly unknown[]> {
  const sql = 'SELECT name, job_version, suspicious FROM current_artifacts ORDER BY name';
  const { stdout } = await rig.run(['query', rig.out, sql, '--output', 'json']);
  return JSON.parse(stdout) as readonly unknown[];
}

it('a run that is killed before it has marked the same images is finished by the next one', async () => {
  const png = new PNG({ width: 8, height: 8 });
  for (const key of ['a.png', 'b.png']) rig.state.putFile(key, PNG.sync.write(png));
  addSession('ann', 'one', 'a.png');
  addSession('ben', 'two', 'b.png');
  addSession('cal', 'three', 'none.png');
  const asked = new Promise<void>((resolve) => {
    rig.emulator.faults.beforeRequest = ({ operation, userId }) => {
      if (operation !== 'getHistory' || userId !== 'cal') return undefined;
      resolve();
      return new Promise(() => undefined);
    };
  });
  const words = ['--checkpoint-size', '1KB', '--concurrency', '1'];
  const running = rig.begin(rig.exportWords(...words));
  await asked;
  await committed('two');
  running.kill('SIGKILL');
  expect((await running.ended).exitCode).toBeNull();
  rig.emulator.faults.beforeRequest = undefined;

  const doubt = { suspicious: expect.stringMatching(/^same bytes as/) };
  await rig.run(rig.exportWords(...words));
  expect(await images()).toMatchObject([
    { name: 'a.png', job_version: 2, ...doubt },
    { name: 'b.png', job_version: 1, ...doubt },
    { name: 'none.png' },
  ]);
  // what the killed run has written says nothing of the picture that has come since
  png.data.fill(9);
  rig.state.putFile('a.png', PNG.sync.write(png));
  for (let night = 1; night <= 2; night++) {
    await rig.run(rig.exportWords(...words));
    const [first] = await images();
    expect(first).toEqual({ name: 'a.png', job_version: 3, suspicious: null });
  }
  const verified = await rig.run(['verify', rig.out]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});
