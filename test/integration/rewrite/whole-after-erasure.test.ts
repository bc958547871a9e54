/** Who has all sessions that were listed stays complete when others are erased, whatever has touched those sessions since. */
import { PNG } from 'pngjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asUserId } from '../../../src/model/ids.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ben', ['b1', 'b2', 'b3']);
  rig.addSession('zoe', 'z1');
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The state of ben once zoe is erased, and the exit code of a report. */
async function withoutZoe(): Promise<unknown[]> {
  await eraseFromArchive({ archive: rig.out, users: ['zoe'], clock: rig.rig.clock });
  const { stdout } = await cli(['status', rig.out, '--user', 'ben']);
  const { exitCode } = await cli(['report', rig.out, '--out', rig.path('page')]);
  return [stdout.split(', of ')[0], exitCode];
}

it('is complete if a session was deleted from the service since the listing', async () => {
  await rig.rig.export();
  expect(outcomes(await rig.pruned({ rules: { sessions: ['b2'] } }))).toMatchObject({
    b2: 'deleted',
  });
  expect(await withoutZoe()).toEqual([
    'ben: complete, leaving aside what was erased: the archive has 1 erasure (1 conversation)',
    0,
  ]);
});

it('is complete if the run that listed has written a job again after the listing', async () => {
  const png = new PNG({ width: 8, height: 8 });
  png.data.fill(1);
  for (const key of ['a.png', 'b.png']) {
    rig.state.putFile(key, PNG.sync.write(png));
    rig.state.addSession('ben', { id: `of-${key}` }, [pictureJob(key)]);
  }
  // at its end the run writes the first job again, as the other one has the same picture
  await rig.rig.export();
  const { index } = await rig.rig.open();
  await index.refresh();
  const listed = (await index.listings()).get(asUserId('ben'))?.lastOfAll?.commit ?? Infinity;
  expect(index.commitsTouching(asUserId('ben')).at(-1)).toBeGreaterThan(listed);
  expect(await withoutZoe()).toEqual([
    'ben: complete, leaving aside what was erased: the archive has 1 erasure (1 conversation)',
    0,
  ]);
});

function pictureJob(key: string): string {
  const image = {
    type: 'IMAGE',
    content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
    group_id: '1',
    stage: 'Respond',
  };
  const reply = { type: 'MESSAGE', content: `See ${key}.`, group_id: '-1', stage: 'Respond' };
  const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
  return JSON.stringify({ job_id: rig.oldJobId(), question, answer: { blocks: [image, reply] } });
}
