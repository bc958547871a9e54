/** A receipt names nobody: after an erasure nobody is proven complete until the next listing, and `status` says so. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { eraseFromArchive } from '../../support/http/one-call.js';

let people: EraseRig;
beforeEach(async () => {
  people = await EraseRig.start();
  await people.archived(['parquet']);
});
afterEach(() => people[Symbol.asyncDispose]());

const status = () => cliJson<ArchiveStatus>(['status', people.rig.out]);

it('tells who was complete until an erasure, and why that is not proven now', async () => {
  const { out } = people.rig;
  expect((await status()).users).toMatchObject({ total: 3, complete: 3 });
  await eraseFromArchive({ archive: out, users: ['ann'] });
  expect((await status()).users).toEqual({
    ...{ total: 2, complete: 0, complete_until_erasure: 2, failed: 0 },
  });
  const { stdout } = await cli(['status', out]);
  expect(stdout).toContain(
    '2: 0 complete, 2 complete until an erasure, whose receipt names nobody; the next export lists them again; 0 whose last listing failed',
  );
  const ben = await cli(['status', out, '--user', 'ben']);
  expect(ben.stdout).toMatch(
    /^ben: complete until an erasure, whose receipt names nobody; the next export lists the sessions again\n/,
  );
});

it('is complete again after an export, though nothing is new', async () => {
  await eraseFromArchive({ archive: people.rig.out, users: ['ann'] });
  const exported = await people.rig.export({ users: ['ben', 'cyd'] });
  expect(exported).toMatchObject({ status: 'complete', jobs: { archived: 0 } });
  expect((await status()).users).toMatchObject({ complete: 2, complete_until_erasure: 0 });
});
