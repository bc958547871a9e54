/** Somebody approves a plan by the names of its sessions. */
import { expect, it } from 'vitest';
import type { RowFormat } from '../../../../src/formats/format.js';
import { sessionKey } from '../../../../src/model/ids.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { sessionNames } from '../../../../src/prune/plan/session-names.js';
import { archiveOfThree } from '../../../support/store/begun-erasure.js';
import { jsonl } from '../../../support/store/written-jobs.js';
import { knowing } from '../../../support/store/archive-samples.js';

/** As the archive's three files of sessions have them, one after the other: of two rows, one and one. */
async function namesIn(
  files: readonly (readonly [string, number, string | null][])[],
  of = ['a1'],
) {
  const { archive } = await archiveOfThree();
  let reads = 0;
  const readRows: RowFormat['readRows'] = async function* () {
    const padding = [1, 2].map(() => ['b1', 1, 'other'] as const);
    const all = [...(files[reads] ?? []), ...padding].slice(0, reads === 0 ? 2 : 1);
    reads++;
    const rows = all.map(([session, version, name]) => ({
      user_id: 'ann',
      session_id: session,
      session_version: version,
      name,
    }));
    yield await Promise.resolve(rows as unknown as Row[]);
  };
  const wanted = new Set(of.map((session) => sessionKey('ann', session)));
  const names = await sessionNames({ ...archive, ...knowing({ ...jsonl, readRows }) }, wanted);
  return { names: Object.fromEntries(names), reads };
}

const a1 = sessionKey('ann', 'a1');

it('The newest name of a session counts, in whatever order the versions are read', async () => {
  const versions = [[['a1', 2, 'new']], [['a1', 3, 'newest']], [['a1', 1, 'old']]] as const;
  expect((await namesIn(versions as never)).names).toEqual({ [a1]: 'newest' });
  expect((await namesIn(versions.toReversed() as never)).names).toEqual({ [a1]: 'newest' });
});

it('Of a version that comes twice the first row counts', async () => {
  expect((await namesIn([[['a1', 1, 'one']], [['a1', 1, 'two']]])).names).toEqual({ [a1]: 'one' });
});

it('A session that nobody asks about has no name, and one without a name neither', async () => {
  const rows: [string, number, string | null][] = [
    ['a1', 1, null],
    ['a2', 1, 'other'],
  ];
  expect(await namesIn([rows])).toEqual({ names: {}, reads: 3 });
});

it('Nothing is read where no name is wanted', async () => {
  expect((await namesIn([[['a1', 1, 'one']]], [])).reads).toBe(0);
});

it('A failure that is none of the archive ends the plan', async () => {
  const { archive } = await archiveOfThree();
  const bug = new TypeError('a bug');
  const format: RowFormat = {
    ...jsonl,
    readRows: () => {
      throw bug;
    },
  };
  const naming = sessionNames({ ...archive, ...knowing(format) }, new Set([a1]));
  await expect(naming).rejects.toBe(bug);
});
