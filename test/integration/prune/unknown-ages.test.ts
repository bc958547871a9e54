/** Slots are to be freed of a user of whose conversations nothing tells which are older: why none goes, and what makes room. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli as cliInProcess } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { PruneCli } from '../../support/programs/prune-cli-run.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
let cli: PruneCli;

beforeEach(async () => {
  rig = await PruneRig.start();
  cli = new PruneCli(rig);
});
afterEach(() => rig[Symbol.asyncDispose]());

const SLOTS = 150;
const untimed = (n: number) => `6f9619ff-8b86-4011-b42d-00cf4fc9640${n}`;
const add = (...numbers: number[]) => {
  for (const n of numbers) {
    rig.state.addSession('ann', { id: untimed(n) }, [oldJob(untimed(n), [])]);
  }
};
const archive = async () => {
  rig.rig.clock.ahead -= 24 * 3_600_000;
  await rig.rig.export();
};
const flat = ({ stdout }: { readonly stdout: string }) => stdout.replaceAll(/\s+/g, ' ');

it('a plan and a run say why nothing goes, and propose what makes room', async () => {
  add(1, 2, 3);
  await archive();
  rig.rig.clock.ahead = 0;
  await rig.rig.export();
  const slots = ['--free-slots', `${SLOTS - 2}`];
  const planned = await cli.prune(...slots, '--dry-run');
  const ran = await cli.prune(...slots, '--yes');
  expect([planned.exitCode, ran.exitCode, rig.left()]).toMatchObject([0, 0, { length: 3 }]);
  const why = `nothing tells which conversations of ${rig.out} are the oldest`;
  expect(flat(planned)).toContain(`Plan, nothing is deleted: ${why} `);
  expect(flat(ran)).toContain(`Nothing was deleted: ${why} `);
  for (const told of [planned, ran].map(flat)) {
    expect(told).toContain('slots missing 1 for ann: which of their conversations are older');
    const [, sql, words = ''] =
      /Next: jobvault query \S+ '(.*)' lists the conversations; ask ann which of them may go, and name these: jobvault (.*) --dry-run/.exec(
        told,
      ) ?? [];
    const listed = await cliInProcess([
      'query',
      rig.out,
      sql?.replaceAll(String.raw`'\''`, "'") ?? '',
    ]);
    expect(listed.stdout).toContain(untimed(2));
    expect(words).toBe(`prune ${rig.out} --user ann --session ID`);
  }
  const named = ['--user', 'ann', '--session', untimed(2), '--yes'];
  expect(await cli.prune(...named)).toMatchObject({ exitCode: 0 });
  expect(rig.left()).toEqual([untimed(1), untimed(3)]);
});

it('a run that somebody agreed to keeps what its plan kept, for the reason that was shown', async () => {
  add(1);
  await archive();
  rig.rig.clock.ahead += 25 * 3_600_000;
  add(2, 3, 4);
  await archive();
  rig.rig.clock.ahead = 0;
  await rig.rig.export();
  const ended = await cli.onTerminal('y\n', '--free-slots', `${SLOTS - 1}`);
  expect([ended.exitCode, rig.left()]).toEqual([0, [2, 3, 4].map(untimed)]);
  const told = flat(ended);
  expect(told).toContain('Complete: 1 conversation deleted from the service; still archived');
  expect(told).toContain('slots missing 2 for ann: which of their conversations are older');
  expect(told).toContain("3 conversations: not selected: perhaps among the user's 1 newest");
});
