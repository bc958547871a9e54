/** An erasure died after its receipt, and somebody has cleared `_erasures/`: what the commands say, and the way out. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asRunId } from '../../../src/model/ids.js';
import { planPath } from '../../../src/archive/paths.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { ANN, BegunErasure } from '../../support/store/begun-erasure.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
beforeEach(async () => {
  people = await EraseRig.start();
});
afterEach(() => people[Symbol.asyncDispose]());

it.each([
  ['plan.json alone is', 'plan.json'],
  ['the folder of the erasure is', '.'],
])(
  'where %s gone, an archive says so, takes an export, and loses the person when erased again',
  { ...fault('F-93'), timeout: 120_000 },
  async (_, gone) => {
    const { rig } = people;
    const traces = await people.archived(['parquet', 'jsonl', 'xlsx']);
    const receipt = await new BegunErasure(await rig.open(), ANN).begin();
    const id = receipt.erasure?.id ?? '';
    await rm(join(rig.out, '_erasures', id, gone), { recursive: true });
    const told = `${planPath(asRunId(id))} is missing, and the receipt in commit ${receipt.number} does not say whom it erases: put it back, or erase the same users or sessions again, which finishes it`;

    const verified = await cli(['verify', rig.out]);
    expect([verified.exitCode, verified.stdout]).toEqual([4, expect.stringContaining(told)]);
    expect(verified.stdout).toContain('not finished: its plan is missing: see below');
    const listed = await cli(['files', rig.out, '--checksums']);
    expect([listed.exitCode, listed.stderr]).toEqual([8, expect.stringContaining(told)]);
    expect(listed.stderr).not.toContain('when the other run has ended');
    people.talk('ben', 'ben-third');
    expect((await rig.export({ users: ['ben'] })).status).toBe('complete');
    expect((await cli(['compact', rig.out])).exitCode).toBe(0);
    expect((await grepArchive(rig.out, traces['ann']!)).length).toBeGreaterThan(10);

    const words = ['erase', rig.out, '--user', 'ann', '--yes'];
    expect(await cliJson(words)).toMatchObject({ status: 'erased', erased: { sessions: 2 } });
    expect(await grepArchive(rig.out, traces['ann']!)).toEqual([]);
    const after = await cliJson<{ erasures: unknown[] }>(['verify', rig.out]);
    expect(after).toMatchObject({ status: 'intact', problems: [], orphans: [] });
    expect(after.erasures).toHaveLength(2);
    expect(await grepArchive(rig.out, ['for-two', 'ben-third'])).not.toEqual([]);
  },
);
