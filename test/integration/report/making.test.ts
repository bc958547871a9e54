/** What a program gets to make a product of its own says of itself what a report of the same choice says. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import { CaveatsRig, REQUEST } from '../../support/rigs/caveats-rig.js';

let rig: CaveatsRig;
beforeAll(async () => {
  rig = await CaveatsRig.start();
  await using archive = await openArchive(rig.out);
  const decided = { request: REQUEST, reason: 'privileged', by: 'Dana' } as const;
  await archive.decideForRequest({ ...decided, session: 's-ben', decision: 'withhold' });
  await archive.decideForRequest({ ...decided, session: 's-5', decision: 'redact' });
}, 120_000);
afterAll(() => rig[Symbol.asyncDispose]());

const by = 'Grace';
it.each([
  ['everybody', {}, {}],
  ['named users', { users: ['ada', 'ben'] }, { users: ['ada', 'ben'] }],
  ['a search', { match: 'falcon', from: '2026' }, { match: 'falcon', from: '2026' }],
  ['a request', { request: REQUEST }, { forRequest: { name: REQUEST, by } }],
])('it has counts, commit and caveats of a report of %s', async (of, choice, ofReport) => {
  await using archive = await openArchive(rig.out);
  await using making = await archive.making({ ...choice, allowLostFiles: true });
  const out = rig.beside(`report of ${of}`);
  const report = await archive.report(out, { ...ofReport, allowLostFiles: true });
  expect(await making.caveats('operator')).toEqual(report.caveats);
  expect(making.counts).toEqual({
    people: report.users,
    sessions: report.sessions,
    jobs: report.jobs,
  });
  expect([making.commit, making.search]).toEqual([report.head, report.search]);
  expect(await making.status()).toBe(report.status);
});
