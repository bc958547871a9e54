/** An erasure of a user names the other spellings of the user in the archive: it does not erase them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ana', 's1');
  rig.addSession('ANA', 's2');
  rig.addSession('ben', 's3');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const erase = (...more: string[]) => ['erase', rig.out, ...more];
const shown = /not erased +user ANA: another spelling of a user named here/;

it('before it erases, with the plan, and after it', async () => {
  expect((await cli(erase('--user', 'ana', '--dry-run'))).stdout).toMatch(shown);
  const { stdout, stderr } = await cli(erase('--user', 'ana', '--yes', '--log-format', 'text'));
  expect([stdout, stderr]).toEqual([expect.stringMatching(shown), expect.stringMatching(shown)]);
  expect(stdout).toContain(
    '\nThe next export archives again what the service still has of this, unless it is\ndeleted there or the user is excluded from every export.\n\nCopies and backups of the archive are not changed: update copies with jobvault\ncopy, make pseudonymised ones anew, and let backups expire. Reports, workbooks\nand evidence packs that were made before are not changed either.\n',
  );
});

it('also one of which nothing is archived, and which a request names', async () => {
  await rig.rig.export({ users: [...rig.state.userIds(), 'BEN'] });
  const request = ['--user', 'ben', '--user', 'BEN', '--reason', 'Art. 17', '--by', 'Kim'];
  await cli(['request', 'new', rig.out, 'M 1', ...request]);
  const planned = await cliJson(erase('--user', 'ben', '--dry-run'));
  expect(planned).toMatchObject({
    other_spellings: [{ user: 'BEN', is_same: false }],
    texts_left: [{ kind: 'request', texts: ['M 1', 'Kim', 'Art. 17', 'BEN'] }],
  });
});

it.each([
  ['where both are named', ['--user', 'ana', '--user', 'ANA']],
  ['of a user who has one spelling', ['--user', 'ben']],
  ['of a session', ['--session', 's1']],
])('and none %s', async (_what, words) => {
  expect(await cliJson(erase(...words, '--dry-run'))).toMatchObject({ other_spellings: [] });
});
