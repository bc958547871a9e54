/** A proxy answers in the service's place: a 404 of its own, or a redirect. Neither proves that anything is gone. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiFault, ApiFaultAnswer } from '../../../src/emulator/faults/faults.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { scriptedApi, success, type ScriptedApi } from '../../support/http/scripted-api.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
/** Where redirects point. */
let other: ScriptedApi;
beforeEach(async () => {
  rig = await PruneRig.start();
  other = await scriptedApi(success({}));
  rig.state.putDataset({
    ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '', summary: '' },
    ...{ exploration_questions: [], keywords: [] },
    ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
  });
  rig.addSessions('ann', ['a1', 'a2']);
  await rig.rig.archived();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const NOT_FOUND = '<!doctype html><html><body><h1>404 Not Found</h1>nginx</body></html>';

const html = (contentType: string): ApiFaultAnswer => ({
  ...{ kind: 'body', status: 404, body: NOT_FOUND, contentType },
});
const redirect = (status: number, location: () => string): (() => ApiFaultAnswer) => {
  return () => ({ kind: 'redirect', status, location: location() });
};
const here = (): string => `${rig.emulator.baseUrl}/v2/team/sessions/a2`;
const elsewhere = (): string => `${other.url}/v2/team/sessions/a1`;

const PAGES: readonly (readonly [string, () => ApiFaultAnswer])[] = [
  ['404 in HTML', () => html('text/html')],
  ['404 in HTML that is called JSON', () => html('application/json')],
  [
    '404 with a code of its own',
    () => ({ kind: 'body', status: 404, body: '{"code":404,"message":"not found"}' }),
  ],
  ['404 without a body', () => ({ kind: 'error', status: 404 })],
  ['410 in other JSON', () => ({ kind: 'body', status: 410, body: '{"error":"gone"}' })],
  ['301 to another host', redirect(301, elsewhere)],
  ['302 to the same host', redirect(302, here)],
  ['303 to the same host', redirect(303, here)],
  ['307 to another host', redirect(307, elsewhere)],
  ['308 to the same host', redirect(308, here)],
];

function answering(fault: Omit<ApiFault, 'answer'>, answer: () => ApiFaultAnswer): void {
  rig.emulator.faults.api = [{ ...fault, answer: answer() }];
}

const AT = () => ['--user', 'ann', '--base-url', rig.emulator.baseUrl, '--rate', '999', '--yes'];

const ONE = [
  [
    ...['sessions', 'deleteSession', 'getSession'],
    () => ['sessions', 'delete', 'a1', '--out', rig.out],
  ],
  [...['datasets', 'deleteDataset', 'getDatasetOverview'], () => ['datasets', 'delete', 'd1']],
] as const;

const sent = (operation: 'deleteSession' | 'deleteDataset') =>
  rig.emulator.stats.requests[operation];

describe.each(PAGES)('%s', (_, page) => {
  describe.each(ONE)('in %s delete', (_kind, remove, find, words) => {
    it(
      'after the DELETE: nobody is told that it is gone, nor that it is not',
      fault('F-90'),
      async () => {
        answering({ operations: [find], after: 1 }, page);
        const { exitCode, stdout, stderr } = await cli([...words(), ...AT()]);
        expect([exitCode, stdout]).toEqual([5, '']);
        expect(stderr).toMatch(
          /a DELETE of (a1|d1) was sent, and whether it is gone is not known: could not get/,
        );
        expect([sent(remove), other.seen]).toEqual([1, []]);
      },
    );

    it(
      'for a DELETE that was carried out: it is gone, because the service says so',
      fault('F-90'),
      async () => {
        answering({ operations: [remove], afterHandling: true }, page);
        const { exitCode, stdout } = await cli([...words(), ...AT()]);
        expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Deleted (a1|d1)\.\n$/)]);
        expect(other.seen).toEqual([]);
      },
    );

    it(
      'for a DELETE that was not: it is still there, and the reason is told',
      fault('F-90'),
      async () => {
        answering({ operations: [remove] }, page);
        const { exitCode, stdout, stderr } = await cli([...words(), ...AT()]);
        expect([exitCode, stdout]).toEqual([5, '']);
        expect(stderr).toMatch(/could not delete (session|dataset): .*HTTP (404|410|30\d)/);
        expect([rig.left(), other.seen]).toEqual([['a1', 'a2'], []]);
      },
    );
  });

  describe('in a prune', () => {
    const pruned = () => rig.prune({ rules: { sessions: ['a1'] } });

    it(
      'after the DELETE: the deletion is not recorded until the service is asked',
      fault('F-90'),
      async () => {
        answering({ operations: ['getSession'], pathId: 'a1', after: 1 }, page);
        const { summary } = await pruned();
        expect(outcomes(summary)).toEqual({ a1: 'unconfirmed' });
        expect([await rig.recorded(), (await rig.intents()).length]).toEqual([[], 1]);
        rig.emulator.faults.api = [];
        expect(outcomes(await rig.pruned({ rules: { sessions: ['a1'] } }))).toEqual({
          a1: 'deleted',
        });
        expect(await rig.recorded()).toEqual(['a1 confirmed-later']);
        expect([sent('deleteSession'), other.seen]).toEqual([1, []]);
      },
    );

    it('for a DELETE that was carried out: it is ours', fault('F-90'), async () => {
      answering({ operations: ['deleteSession'], afterHandling: true }, page);
      const { summary } = await pruned();
      expect(outcomes(summary)).toEqual({ a1: 'deleted' });
      expect(await rig.recorded()).toEqual(['a1 confirmed']);
      expect(other.seen).toEqual([]);
    });

    it.each(['getSession', 'getHistory', 'listSessions'] as const)(
      'for %s before the DELETE: no DELETE is sent',
      fault('F-90'),
      async (operation) => {
        answering({ operations: [operation] }, page);
        const { summary } = await pruned();
        expect(summary.deletions.deleted).toBe(0);
        expect([sent('deleteSession'), await rig.recorded()]).toEqual([0, []]);
        expect([rig.left(), await rig.intents(), other.seen]).toEqual([['a1', 'a2'], [], []]);
      },
    );
  });

  it.each(['getHistory', 'listSessions'] as const)(
    'for %s: an export is not complete, and does not delete what it could not read',
    fault('F-90'),
    async (operation) => {
      rig.addSession('ann', 'a3', { jobs: 150 });
      // the second page of a3, or every list
      const fault = operation === 'getHistory' ? { pathId: 'a3', after: 1 } : {};
      answering({ operations: [operation], ...fault }, page);
      const words = ['export', '--out', rig.out, '--delete-archived', '--all'];
      const { exitCode, stdout } = await cli([...words, ...AT(), '--json']);
      expect([3, 5, 7]).toContain(exitCode);
      expect(other.seen).toEqual([]);
      expect(rig.left()).toContain('a3');
      if (operation === 'listSessions') expect(sent('deleteSession')).toBe(0);
      const { status } = JSON.parse(stdout || '{}') as { status?: string };
      expect(status).not.toBe('complete');
    },
  );
});
