/** Of one archive every output says the same numbers, whatever has happened to it by day and by night. */
import { expect, it } from 'vitest';
import { isNight } from '../support/base/night.js';
import { EverydayArchive } from '../support/rigs/everyday-archive.js';
import { THINGS } from '../support/tables/counted-things.js';
import { ToldNumbers } from '../support/tables/told-numbers.js';

const ARCHIVES = Number(process.env['JOBVAULT_TEST_ARCHIVES'] ?? 1);
const FIRST = Number(process.env['JOBVAULT_TEST_SEED'] ?? 1);

/**
 * Seeds of archives of which outputs once told different numbers; what differed has a test of its own. Of even seeds
 * a copy is compared, too, and of odd ones one user: a merge has an archive of each.
 */
const DIFFERED = isNight ? [1028, 32028, 33001] : [1028];

/** Of how many things several outputs have told. */
const compared = new Set<string>();

it.each([...DIFFERED, ...Array.from({ length: ARCHIVES }, (_, nth) => FIRST + nth)])(
  'all outputs count alike in the archive of seed %i',
  async (seed) => {
    await using archive = await EverydayArchive.make(seed);
    const told = await ToldNumbers.of(archive);
    for (const [thing, outputs] of told.outputsOf) if (outputs > 1) compared.add(thing);
    const happened = told.differences.length === 0 ? [] : archive.diary;
    expect([...happened, ...told.differences]).toEqual([]);
  },
  300_000,
);

it('each thing that is counted is told by several outputs', () => {
  expect([...compared].sort()).toEqual(Object.keys(THINGS).sort());
});
