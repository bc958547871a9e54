/** What a report and a workbook of a pseudonymised copy say of it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createdAtOf } from '../../../src/model/times/created-at.js';
import { formatTimestamp } from '../../../src/model/times/timestamp.js';
import type { ArchiveStatus } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let copy: string;

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's1', 'Revenue', [
    { question: 'How much?', table: 'Sales' },
    { question: 'And costs?', table: 'Costs', csv: null },
  ]);
  await people.rig.archived();
  copy = await copied('copy');
});
afterAll(() => people[Symbol.asyncDispose]());

async function copied(name: string, ...more: string[]): Promise<string> {
  const { out, directory } = people.rig;
  const [key, place] = [join(directory, 'key'), join(directory, name)];
  await writeFile(key, 'k'.repeat(40));
  const made = await cli(['copy', out, place, '--pseudonymise', key, ...more]);
  expect(made.exitCode, made.stderr).toBe(0);
  return place;
}

it('counts no files in a workbook, since the copy has none, and says so', async () => {
  const place = `${copy}.xlsx`;
  const run = await cli(['workbook', copy, '--from', '2026', '--out', place]);
  expect(run.exitCode, run.stderr).toBe(3);
  expect(run.stdout).toMatch(/^ +files +0 tables and images: not in this pseudonymised copy$/m);
  const { sheets } = await readXlsx(await readFile(place));
  const rowsOf = (sheet: string) => sheets.find(({ name }) => name === sheet)?.rows ?? [];
  const files = rowsOf('Cover').find(([label]) => label === 'Files');
  expect(files?.slice(1, 3)).toEqual([0, 'tables and images are not in this pseudonymised copy']);
  const cells = rowsOf('Conversations').flat();
  const left = 'the reason is left out of this pseudonymised copy';
  expect(cells.filter((cell) => String(cell).includes('pseudonymised'))).toEqual([
    'table: stored in the archive, not in this pseudonymised copy',
    `table: not archived (missing: ${left})`,
  ]);
  expect((await cli(['gap', 'list', copy])).stdout).toContain(left);
  const sql = "SELECT DISTINCT reason FROM current_artifacts WHERE status <> 'stored'";
  expect(await cliJson(['query', copy, sql])).toMatchObject({ rows: [{ reason: left }] });
});

it('says on the page of a report, and where it is made, that it is a copy, and what that lacks', async () => {
  const place = `${copy}-page`;
  const { stdout } = await cli(['report', copy, '--out', place]);
  expect(stdout).toMatch(
    /^ +note +a pseudonymised copy, which is not anonymous: who knows when somebody asked how much can tell whose conversations these are, and whoever has the key can tell it of all; ids and hashes are keyed digests; texts are left out; times are days; session names, unknown words of the service \(such as a new job_mode\), raw records, content_json, extra_json, URLs, files, deletions, holds, requests, who accepted gaps and why, and what was erased are left out$/m,
  );
  expect(stdout).toMatch(/^ +files +0 tables and images: not in this pseudonymised copy$/m);
  const page = await readFile(join(place, 'index.html'), 'utf8');
  expect(page).toContain(
    '<li><strong>a pseudonymised copy, which is not anonymous</strong>: who knows when somebody asked how much can tell whose conversations these are, and whoever has the key can tell it of all; ids and hashes are keyed digests; texts are left out; times are days; session names, unknown words of the service (such as a new job_mode), raw records, content_json, extra_json, URLs, files, deletions, holds, requests, who accepted gaps and why, and what was erased are left out</li>',
  );
  expect(page).toContain(
    '<dt>Tables and images</dt><dd><b>0</b> <span>left out of this copy; 1 place in answers has none in its archive</span>',
  );
  expect(page).toContain('placeholder="Search ids: this copy has no texts"');
});

it('says so of a copy with texts, which can be searched', async () => {
  const place = await copied('with-texts', '--keep-text');
  await cli(['report', place, '--out', `${place}-page`]);
  const page = await readFile(join(`${place}-page`, 'index.html'), 'utf8');
  expect(page).toContain(
    '; texts are as people wrote them; times are days; session names, unknown words of the service (such as a new job_mode), raw records,',
  );
  expect(page).toContain('placeholder="Search questions, answers, code …"');
});

it('shows of a conversation what it does not have, and no arrow to nothing', async () => {
  const { sessions } = await cliJson<{ sessions: { session_id: string }[] }>(['show', copy], 3);
  const { stdout } = await cli(['show', copy, sessions[0]?.session_id ?? '']);
  expect(stdout.match(/→.*/g)).toEqual([
    '→ missing: the reason is left out of this pseudonymised copy',
  ]);
  expect(stdout).toContain('[TABLE] (no name) (the file is not in this archive)\n');
  expect(stdout).toContain('[MESSAGE] (its content is not in this archive)\n');
});

it('judges a question without a time by the neighbours of now, as the archive does', async () => {
  const asked = people.talk('zoe', 's-2', 'Later', [
    { question: 'one' },
    { question: 'two' },
    { question: 'three', id: 'timeless' },
  ]);
  await people.rig.export();
  people.talk('zoe', 's-2', 'Later', [{ question: 'four' }]);
  await people.rig.export();
  const later = await copied('later', '--keep-text', '--keep-times');
  const two = createdAtOf(asked[1] ?? '')?.micros ?? 0n;
  const day = formatTimestamp(two + 86_400_000_000n).slice(0, 10);
  const period = ['--from', formatTimestamp(two).slice(0, 19) + 'Z', '--to', day];
  for (const place of [people.rig.out, later]) {
    const { stdout } = await cli(['search', place, 'three', ...period, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ matches: 1, time_unknown: 0 });
  }
});

it.each([
  [['hold', 'list'], 'holds'],
  [['request', 'list'], 'requests'],
  [['erase', '--list'], 'erasures'],
])('%j says that a copy leaves them out, and not that there are none', async (words, what) => {
  expect((await cli([...words, copy])).stdout).toBe(
    `${copy} is a pseudonymised copy, from which ${what} are left out: ask the archive that it was made of.\n`,
  );
  expect((await cli([...words, people.rig.out])).stdout).toBe(
    `${people.rig.out} has no ${what}.\n`,
  );
});

it('has as many people as the one who makes it is told', async () => {
  await using others = await SearchRig.start();
  for (const user of ['ben', 'cleo']) {
    others.talk(user, `s-${user}`, 'Costs', [{ question: 'How much?' }]);
    others.talk(user, `s-${user}-2`, 'Costs', [{ question: 'And now?' }]);
  }
  const { out, directory } = others.rig;
  await others.rig.archived();
  await others.rig.export({ users: ['mistyped'] });
  await cli(['erase', out, '--session', 's-ben', '--reason', 'asked for', '--by', 'Dana', '--yes']);
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  const { users } = await cliJson<{ users: number }>(['copy', out, place, '--pseudonymise', key]);
  expect(await cliJson(['status', place])).toMatchObject({ users: { people: users } });
});

it('knows right after an erasure how much of a user is certainly erased', async () => {
  await using others = await SearchRig.start();
  for (const session of ['s-1', 's-2', 's-3']) {
    others.talk('ben', session, 'Costs', [{ question: 'How much?' }]);
  }
  const { out, directory } = others.rig;
  await others.rig.archived();
  await cli(['erase', out, '--session', 's-2', '--reason', 'asked for', '--by', 'Dana', '--yes']);
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  const made = await cli(['copy', out, place, '--pseudonymise', key]);
  expect([made.exitCode, made.stdout.startsWith('Complete: a copy of ')]).toEqual([0, true]);
  const whole = await cliJson<ArchiveStatus>(['status', out]);
  const copied = await cliJson<ArchiveStatus>(['status', place]);
  for (const { users, erased, runs } of [whole, copied]) {
    expect([users.incomplete_by_decision, users.not_proven, erased]).toEqual([1, 0, 1]);
    expect(runs.at(-1)?.users).toBe(1);
  }
  const report = ['report', place, '--out', `${place}-page`];
  expect((await cli(report)).stdout).toMatch(
    /^Not complete, by decision: at least 1 of at least 3 conversations was erased\n/,
  );
});

it('has the listing of whom a gap alone keeps from being complete, also after an erasure', async () => {
  await using others = await SearchRig.start();
  others.talk('ada', 's-ada', 'Costs', [{ question: 'And costs?', table: 'Costs', csv: null }]);
  for (const session of ['s-1', 's-2']) {
    others.talk('ben', session, 'Costs', [{ question: 'How much?' }]);
  }
  const { out, directory } = others.rig;
  await others.rig.archived();
  await cli(['erase', out, '--session', 's-2', '--reason', 'asked for', '--by', 'Dana', '--yes']);
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  const made = await cli(['copy', out, place, '--pseudonymise', key]);
  expect(made.stdout).not.toContain('not proven complete');
  const whole = await cliJson<ArchiveStatus>(['status', out]);
  const copied = await cliJson<ArchiveStatus>(['status', place]);
  expect(copied.users).toEqual(whole.users);
  expect(copied.runs.at(-1)).toMatchObject({ users: 2, complete: 1 });
  const { stdout } = await cli(['search', place, '--from', '2026', 'costs']);
  expect(stdout).not.toContain('not proven complete');
});

it('a copy of an archive of which everybody was erased does not say that nothing was saved yet', async () => {
  await using others = await SearchRig.start();
  others.talk('ben', 's-1', 'Costs', [{ question: 'How much?' }]);
  const { out, directory } = others.rig;
  await others.rig.archived();
  await cli(['erase', out, '--user', 'ben', '--reason', 'asked for', '--by', 'Dana', '--yes']);
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  await cli(['copy', out, place, '--pseudonymise', key]);
  for (const archive of [out, place]) {
    const { stdout } = await cli(['status', archive]);
    expect(stdout).not.toMatch(/no run has saved|no export has saved|nothing is archived yet/);
  }
  const { stdout } = await cli(['status', place]);
  expect(stdout).toContain(
    'nobody is in this copy: the archive that it was made of had nothing for it then',
  );
});

it('has whom all was erased of, also after a night that has skipped them', async () => {
  await using others = await SearchRig.start();
  for (const user of ['ada', 'ben'])
    others.talk(user, `s-${user}`, 'Costs', [{ question: 'How?' }]);
  const { out, directory } = others.rig;
  await others.rig.archived();
  const asked = ['--reason', 'asked for', '--by', 'Dana', '--yes'];
  await cli(['erase', out, '--session', 's-ben', '--suppress', ...asked]);
  await others.rig.run({});
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  await cli(['copy', out, place, '--pseudonymise', key]);
  const whole = await cliJson<ArchiveStatus>(['status', out]);
  const copied = await cliJson<ArchiveStatus>(['status', place]);
  expect(whole.users.total).toBe(2);
  expect(copied.users).toEqual(whole.users);
});

it('tells whose conversations could not be listed, also where it has nothing of them', async () => {
  await using others = await SearchRig.start();
  others.talk('ada', 's-ada', 'Costs', [{ question: 'How?' }]);
  others.talk('ben', 's-ben', 'Costs', [{ question: 'How?' }]);
  others.rig.emulator.faults.refusedUsers = { ben: 1003 };
  const { out, directory } = others.rig;
  await others.rig.archived();
  const [key, place] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  await cli(['copy', out, place, '--pseudonymise', key]);
  const [whole, copied] = await Promise.all(
    [out, place].map((archive) => cliJson<ArchiveStatus>(['status', archive])),
  );
  expect(whole).toMatchObject({ status: 'incomplete', gaps: { refused: 1 } });
  expect([copied?.status, copied?.gaps, copied?.users]).toEqual([
    whole?.status,
    whole?.gaps,
    whole?.users,
  ]);
});
