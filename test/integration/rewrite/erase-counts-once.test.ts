/** What two spellings of a user list with other questions is erased, held and freed in the numbers that every output has of it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const BOTH = ['--user', 'Ada', '--user', 'ada'];

let people: SearchRig;
let out: string;
// the newest run has listed ada: the conversation counts there, with one question of the three
beforeEach(async () => {
  people = await SearchRig.start();
  const { state } = people.rig;
  const idOf = (day: number) => state.newJobId(Date.UTC(2026, 2, day));
  const one = idOf(1);
  people.talk('ada', 'shared-1', 'Shared', [{ question: 'first', id: one }]);
  people.talk('Ada', 'shared-1', 'Shared', [
    { question: 'first', id: one },
    { question: 'second', id: idOf(2) },
    { question: 'third', id: idOf(3) },
  ]);
  people.talk('Ada', 'own-1', 'Own', [{ question: 'own one' }]);
  await people.rig.export({ users: ['Ada'] });
  await people.rig.export({ users: ['ada'] });
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

interface Planned {
  readonly sessions: readonly { readonly jobs: number; readonly counts_for: string | null }[];
}

function counting({ sessions }: Planned): number {
  return sessions.reduce(
    (sum, { jobs, counts_for: other }) => sum + (other === null ? jobs : 0),
    0,
  );
}

it('an erasure counts its questions as status does, and tells those of another spelling apart', async () => {
  const before = await cliJson<{ jobs: { total: number } }>(['status', out]);
  expect(before).toMatchObject({ jobs: { total: 2 } });
  const erase = (...more: string[]) => ['erase', out, ...BOTH, ...more];
  const plan = await cliJson<Planned>(erase('--dry-run'));
  expect([plan, counting(plan)]).toMatchObject([{ erased: { sessions: 2, jobs: 2 } }, 2]);
  const elsewhere = { user: 'Ada', session: 'shared-1', jobs: 3, counts_for: 'ada', only_here: 2 };
  expect(plan).toMatchObject({
    sessions: expect.arrayContaining([expect.objectContaining(elsewhere)]),
  });
  const { stdout } = await cli(erase('--dry-run'));
  expect(stdout).toContain('(2 conversations, 2 questions, 0 stored files)');
  expect(stdout).toMatch(/^ {2}also +2 questions that only another spelling of the user has: /m);
  expect(stdout).toContain(
    'shared-1 of Ada (the same one under another spelling, with 2 questions that only this one has)',
  );
  const done = await cliJson<Planned>(erase('--yes'));
  expect([done, counting(done)]).toMatchObject([{ erased: { jobs: 2, rows: { jobs: 5 } } }, 2]);
  const listed = await cliJson(['erase', out, '--list']);
  expect(listed).toMatchObject({
    erasures: [{ erased: { sessions: 2, jobs: 2, rows: { jobs: 5 } } }],
  });
});

it('an expiry counts its questions as status does', async () => {
  const words = ['expire', out, '--older-than', '1d', '--trust-this-clock', '--json'];
  const plan = JSON.parse((await cli([...words, '--dry-run'])).stdout) as Planned;
  expect([plan, counting(plan)]).toMatchObject([{ planned: 2 }, 2]);
  const done = JSON.parse((await cli([...words, '--yes'])).stdout) as Planned;
  expect([done, counting(done)]).toMatchObject([{ erased: { sessions: 2, jobs: 2 } }, 2]);
});

it('a receipt counts what is held once, and with the questions that count, as the plan does', async () => {
  await cli(['hold', 'add', out, '--session', 'shared-1', ...why]);
  const erase = ['erase', out, ...BOTH, '--except-held'];
  const { stdout } = await cli([...erase, '--dry-run']);
  expect(stdout).toMatch(/^ {2}kept +1 conversation, 1 question on hold/m);
  await cli([...erase, '--yes']);
  const listed = await cliJson(['erase', out, '--list']);
  expect(listed).toMatchObject({ erasures: [{ held: { sessions: 1, jobs: 1 } }] });
});

it('a release of a hold frees the questions that count', async () => {
  await cli(['hold', 'add', out, '--session', 'shared-1', ...why]);
  const release = ['hold', 'release', out, '--session', 'shared-1', ...why];
  const { stdout } = await cli([...release, '--dry-run']);
  expect(stdout).toContain('may be deleted and erased: 1 conversation, 1 question');
});
