/** A pseudonymised copy says of gaps what its archive says, without the people. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('a copy has the acceptances of gaps without who and why, so it counts as the archive does', async () => {
  await using people = await SearchRig.start();
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-1', 'Shared', [{ id: 'j-0', table: 'lost.csv', csv: null }]);
  }
  people.talk('ben', 's-2', 'B', [{ table: 'agreed.csv', csv: null, step: 'one' }]);
  people.talk('ben', 's-3', 'C', [{ question: 'Who?' }]);
  const { rig: own } = people;
  await own.export();
  const why = ['--reason', 'ticket 7', '--by', 'Grace Hopper', '--yes'];
  await cli(['gap', 'accept', own.out, '--user', 'ben', ...why]);
  const target = join(own.directory, 'copy');
  await using archive = await openArchive(own.out);
  await archive.pseudonymiseTo(target, { key: randomBytes(32) });
  const told = async (place: string) => {
    const keys = ['sessions', 'jobs', 'gaps', 'accepted_gaps'] as const;
    const status = await cliJson<Record<string, unknown>>(['status', place]);
    const {
      complete,
      incomplete,
      incomplete_by_decision: decided,
    } = status['users'] as Record<string, number>;
    const sql = 'SELECT sum(with_lost_file) AS lost, sum(questions) AS n FROM v_failures_by_week';
    const { rows } = await cliJson<{ rows: unknown }>(['query', place, sql]);
    return [complete, incomplete, decided, keys.map((key) => status[key]), rows];
  };
  expect(await told(target)).toEqual(await told(own.out));
  const { stdout } = await cli(['gap', 'list', target]);
  expect(stdout).toContain('1 gap, 1 accepted gap');
  expect(stdout).toContain(
    '\nNext: export to the archive that this copy was made of, then make a new copy',
  );
  expect(stdout).not.toContain('jobvault');
  expect(stdout).not.toMatch(/Grace|ticket/);
  expect(await cliJson(['verify', target])).toMatchObject({ status: 'intact' });
});
