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

  await rig.run(rig.exportWords(...words));
  const sql = 'SELECT name, suspicious FROM current_artifacts ORDER BY name';
  const { stdout } = await rig.run(['query', rig.out, sql, '--output', 'json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'a.png', suspicious: expect.stringMatching(/^same bytes as/) },
    { name: 'b.png', suspicious: expect.stringMatching(/^same bytes as/) },
    { name: 'none.png' },
  ]);
  const verified = await rig.run(['verify', rig.out]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});
