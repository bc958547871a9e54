/** A report in the place of an earlier one: what has changed is written, the rest is left as it is, and nothing else stays. */
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { openArchive } from '../../../src/library/operations.js';
import type { ReportSummary } from '../../../src/report/report-options.js';
import type {
  FoundJob,
  IndexPiece,
  JobDirectory,
  PeopleData,
  PieceData,
  SearchPlan,
  SessionData,
  SessionDirectory,
  TimesPiece,
  UserData,
} from '../../../src/report/page-data.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { stagingPrefix } from '../../../src/storage/local/staging-directory.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { snapshotOf } from '../../support/store/snapshots.js';

let rig: ExportRig;
let place: string;
/** What the tests of an archive begin with. */
let first: ReportSummary;
let kept: string;

/** An archive for several tests, and the report of it that each of them begins with. */
async function begin(): Promise<void> {
  rig = await ExportRig.start({ users: 3, sessions: 3, jobs: 4 });
  await rig.archived();
  kept = place = await mkdtemp(join(tmpdir(), 'jobvault-report-'));
  first = await report();
}
async function end(): Promise<void> {
  await rig[Symbol.asyncDispose]();
  await rm(kept, { recursive: true, force: true });
}
async function copyFirst(): Promise<void> {
  place = await mkdtemp(join(tmpdir(), 'jobvault-report-'));
  await cp(join(kept, 'report'), join(place, 'report'), { recursive: true });
}
async function removeCopy(): Promise<void> {
  await rm(place, { recursive: true, force: true });
}

type Choices = Parameters<Awaited<ReturnType<typeof openArchive>>['report']>[1];

async function report(name = 'report', choices: Choices = {}): Promise<ReportSummary> {
  await using archive = await openArchive(rig.out);
  return await archive.report(join(place, name), choices);
}

async function ask(question: string, user = rig.state.userIds()[1] ?? ''): Promise<void> {
  const [session = ''] = rig.state.sessionIds(user);
  const id = rig.state.newJobId(Date.now());
  rig.state.addJob(user, session, oldJob(id).replace('Well?', question));
  await rig.export();
}

async function erase(users: string[], sessions: string[] = []): Promise<void> {
  await using archive = await openArchive(rig.out);
  await archive.erase({ users, sessions, reason: 'asked for' });
}

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

/** As another program or a failing disk would change it. */
async function editFile(file: string, edit: (text: string) => string): Promise<void> {
  const text = await readFile(file, 'latin1');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  await rm(file); // an earlier report may have it as well
  await writeFile(file, edited, 'latin1');
}

async function editAll(data: string, directory: string, edit: (text: string) => string) {
  for (const file of await filesOf(join(data, directory))) {
    await editFile(join(data, directory, file), edit);
  }
}

/** What a reader finds in a report, whatever numbers and pieces it has. */
async function told(name: string) {
  const directory = join(place, name);
  const read = new Set<string>(['index.html', 'data/page.js', 'data/style.css']);
  read.add('data/jobvault-report.json').add('data/jobvault-sessions.jsonl');
  read.add('data/jobvault-files.sha256');
  const load = async <T>(key: string): Promise<T> => {
    read.add(`data/${key}.js`);
    const script = await readFile(join(directory, 'data', `${key}.js`), 'utf8');
    let arrived: unknown;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what a browser does with it
    new Function('jobvaultData', script)((_key: string, data: unknown) => (arrived = data));
    return arrived as T;
  };
  const { users } = await load<PeopleData>('people');
  await load('latest');
  const gaps = await load('gaps');
  const sessions: Record<string, unknown> = {};
  const place_ = new Map<number, string>();
  const shown: string[] = [];
  for (const { number, ...user } of users) {
    const { sessions: lines, ...of } = await load<UserData>(`u/${number}`);
    sessions[user.id] = { ...user, ...of, lines: lines.map((line) => line.id) };
    for (const { number: at } of lines) {
      const data = await load<SessionData>(`s/${at}`);
      place_.set(at, data.id);
      const directoryOf = await load<SessionDirectory>(`l/${Math.floor((at - 1) / 200)}`);
      expect(directoryOf.sessions.some(({ id }) => id === data.id)).toBe(true);
      const pieces = [];
      for (const [piece] of data.pieces.entries()) {
        pieces.push(await load<PieceData>(`s/${at}-${piece}`));
      }
      for (const [, file] of JSON.stringify(pieces).matchAll(/"file":"(data\/[^"]+)"/g)) {
        if (file !== undefined) shown.push(file);
      }
      sessions[`${user.id} ${data.id}`] = { ...data, number: 0, pieces };
    }
  }
  const plan = await load<SearchPlan>('find');
  const jobs: (FoundJob | null)[] = [];
  for (let piece = 0; piece * 200 < plan.jobs; piece++) {
    jobs.push(...(await load<JobDirectory>(`j/${piece}`)).jobs);
  }
  const asked: unknown[] = [];
  for (const [piece] of plan.times.entries()) {
    for (const [session, user, times] of (await load<TimesPiece>(`c/${piece}`)).sessions) {
      const of = users.find(({ number }) => number === user)?.id;
      asked.push(...times.map((time) => [of, place_.get(session), time]));
    }
  }
  const words: Record<string, unknown[]> = {};
  for (const [partition, firsts] of plan.partitions.entries()) {
    for (const [piece] of firsts.entries()) {
      for (const [word, steps] of await load<IndexPiece>(`f/${partition}-${piece}`)) {
        let number = 0;
        words[word] = steps.split(' ').map((step) => {
          const job = jobs[(number += parseInt(step, 36))];
          return JSON.stringify([{ ...job, session: 0 }, asked[number]]);
        });
        words[word].sort();
      }
    }
  }
  const files: Record<string, string> = {};
  for (const file of shown) {
    read.add(file);
    files[file] = sha256Hex(await readFile(join(directory, file)));
  }
  // nothing lies there that no page leads to
  expect(await filesOf(directory)).toEqual([...read].sort());
  return { sessions, words, gaps, files, live: jobs.filter((job) => job !== null).length };
}

/** What a process that has died leaves beside the report. */
const dead = `.report.${stagingPrefix({ ...systemProcesses.self, pid: 2 ** 22 + 1, started: '1' }, '0123456789abcdef')}-0`;

/** Inode of each file: one that is left alone has the same. */
async function inodesOf(directory: string): Promise<Map<string, number>> {
  const files = await filesOf(directory);
  return new Map(
    await Promise.all(
      files.map(async (file) => [file, (await stat(join(directory, file))).ino] as const),
    ),
  );
}

describe('a report in the place of an earlier one', { timeout: 120_000 }, () => {
  beforeEach(begin);
  afterEach(end);

  it('tells the same as one that is made anew, whatever has happened in between', async () => {
    const [first = '', second = '', third = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(third);
    await ask('What of the zeppelins?', first);
    rig.state.deleteSession(second, rig.state.sessionIds(second)[0] ?? '');
    rig.state.addSession(third, { name: 'Airships' });
    await rig.export();
    await report();
    await ask('What of the balloons?', first);
    await erase([], [session]);
    await report();
    await report('anew');
    expect(await told('report')).toEqual(await told('anew'));
    await erase([second]);
    await ask('What of the kites?', third);
    await ask('What of the kites?', first);
    const last = await report();
    await report('anew');
    expect(await told('report')).toEqual(await told('anew'));
    expect(last.unchanged.sessions).toBeGreaterThan(0);
  });

  it('names in its mark the commit that it tells of, not one that is only a snapshot', async () => {
    const archive = await rig.open();
    await archive.index.refresh();
    await snapshotOf(archive);
    const { head } = await report();
    const mark = await readFile(join(place, 'report', 'data', 'jobvault-report.json'), 'utf8');
    expect(JSON.parse(mark)).toMatchObject({ head: head?.number });
    await archive.index.refresh();
    expect(archive.index.through).toBeGreaterThan(head?.number ?? Infinity);
  });

  it('names what qualifies it in the order of one that is made anew', async () => {
    const [first = '', , third = ''] = rig.state.userIds();
    await ask('What of the zeppelins?', third);
    await report();
    await ask('What of the balloons?', first);
    const { caveats, unchanged } = await report();
    expect(caveats.find(({ kind }) => kind === 'unsettled')?.count).toBeGreaterThan(1);
    expect(caveats).toEqual((await report('anew')).caveats);
    expect(unchanged.sessions).toBeGreaterThan(0);
  });

  it('has no page, word or file of what was erased, or is out of scope', async () => {
    const [user = '', other = ''] = rig.state.userIds();
    await ask('What of the zeppelins?', user);
    await report();
    await report('scoped');
    const files = await filesOf(join(place, 'report'));
    await erase([user]);
    const again = await report();
    expect(again.unchanged.sessions).toBe(6);
    await report('scoped', { users: [other] });
    for (const name of ['report', 'scoped']) {
      const left = await filesOf(join(place, name));
      expect(left.length).toBeLessThan(files.length);
      for (const file of left) {
        const text = await readFile(join(place, name, file), 'utf8');
        expect(text.includes(user) || text.includes('zeppelin'), file).toBe(false);
      }
    }
    await report('anew');
    expect(await told('report')).toEqual(await told('anew'));
    await report('anew scope', { users: [other] });
    expect(await told('scoped')).toEqual(await told('anew scope'));
  });

  it('writes anew the sessions of which a later run says only that their answers have settled', async () => {
    /** How many sessions have answers that may still change. */
    const marked = async () =>
      Object.values((await told('report')).sessions).filter((one) =>
        JSON.stringify(one).includes('"settled":false'),
      ).length;
    await ask('What has just been asked?');
    await report();
    const open = await marked();
    expect(open).toBeGreaterThan(0);
    const before = (await rig.open()).index;
    await before.refresh();
    rig.clock.ahead += 7 * 86_400_000;
    await rig.export();
    const { index } = await rig.open();
    await index.refresh();
    const touched = new Set<string>();
    for await (const commit of index.walk({ from: before.through + 1, through: index.through })) {
      for (const { session } of commit.sessions) touched.add(session);
    }
    expect(touched.size).toBeGreaterThan(0);
    // the others that the run has touched are shown as before
    expect((await report()).unchanged.sessions).toBe(9 - open);
    expect(await marked()).toBe(0);
    // its notes know of that commit
    expect((await report()).unchanged.sessions).toBe(9);
    await report('anew');
    expect(await told('report')).toEqual(await told('anew'));
  });
});

describe('a report after one new question', { timeout: 120_000 }, () => {
  let anew: Awaited<ReturnType<typeof told>>;
  beforeAll(async () => {
    await begin();
    await ask('What of the zeppelins?');
    await report('anew');
    anew = await told('anew');
  });
  afterAll(end);
  beforeEach(copyFirst);
  afterEach(removeCopy);

  it('writes only what has changed, and tells the same as one that is made anew', async () => {
    const before = await filesOf(join(place, 'report'));
    const again = await report();
    expect(again.unchanged.sessions).toBe(8);
    expect(again.unchanged.files).toBeGreaterThan(before.length / 2);
    const now = await told('report');
    expect(now).toEqual(anew);
    expect(now.words['zeppelins']).toHaveLength(1);
    expect(await readdir(place)).toEqual(['report']);
  });

  it('leaves the numbers of all other jobs alone, and words that the question does not have', async () => {
    const before = await inodesOf(join(place, 'report'));
    await report();
    const directory = join(place, 'report', 'data');
    const find = await readFile(join(directory, 'find.js'), 'utf8');
    expect(find).toContain(`"jobs":${first.jobs + 1},`);
    const after = await inodesOf(join(place, 'report'));
    const words = [...before].filter(([file]) => file.startsWith('data/f/'));
    const same = words.filter(([file, inode]) => after.get(file) === inode);
    expect(same.length).toBeGreaterThan(words.length / 2);
    for (const [file] of same) {
      expect(await readFile(join(place, 'report', file), 'utf8')).not.toContain('"zeppelins"');
    }
  });

  it.each([
    ['a page is gone', async (data: string) => rm(join(data, 's/2.js'))],
    [
      'its notes are cut',
      async (data: string) => writeFile(join(data, 'jobvault-sessions.jsonl'), '{"print'),
    ],
    [
      'its notes are odd',
      async (data: string) => writeFile(join(data, 'jobvault-sessions.jsonl'), '{}\n{"line":{}}\n'),
    ],
    [
      'the plan of its search is odd',
      async (data: string) =>
        writeFile(join(data, 'find.js'), 'jobvaultData("find",{"jobs":7});\n'),
    ],
    ['its list of jobs is damaged', async (data: string) => writeFile(join(data, 'j/0.js'), 'x')],
    [
      'words are damaged',
      async (data: string) => {
        for (const file of await readdir(join(data, 'f')))
          await writeFile(join(data, 'f', file), 'x');
      },
    ],
    [
      'a page has other words',
      (data: string) => editAll(data, 's', (text) => text.replace(/[a-z]{5,}/g, 'false')),
    ],
    [
      'tables and images have other bytes',
      (data: string) => editAll(data, 'files', (text) => `x${text}`),
    ],
    [
      'its lists of jobs name others',
      (data: string) =>
        editAll(data, 'j', (text) => text.replaceAll('"question":"', '"question":"No ')),
    ],
    [
      'words lead elsewhere',
      (data: string) => editAll(data, 'f', (text) => text.replace(/","\w+/g, '","1')),
    ],
    [
      'its notes have other names',
      (data: string) =>
        editFile(join(data, 'jobvault-sessions.jsonl'), (text) =>
          text.replaceAll('"name":"', '"name":"No '),
        ),
    ],
    [
      'its list of files is cut',
      (data: string) => editFile(join(data, 'jobvault-files.sha256'), (text) => text.slice(0, -70)),
    ],
  ])('is whole where %s', async (_what, damage) => {
    await damage(join(place, 'report', 'data'));
    await report();
    expect(await told('report')).toEqual(anew);
  });

  it('begins with the earlier one where a process that has died had moved it aside', async () => {
    await rename(join(place, 'report'), join(place, `${dead}.replaced`));
    expect((await report()).unchanged.sessions).toBe(8);
    expect(await readdir(place)).toEqual(['report']);
  });
});

describe('a report of what has not changed', { timeout: 120_000 }, () => {
  let anew: Awaited<ReturnType<typeof told>>;
  beforeAll(async () => {
    await begin();
    anew = await told('report');
  });
  afterAll(end);
  beforeEach(copyFirst);
  afterEach(removeCopy);

  it('writes nothing but its first page and its mark', async () => {
    const before = await inodesOf(join(place, 'report'));
    const again = await report();
    expect(again).toEqual({
      ...first,
      // the first page has the minute in which it was made
      bytes: again.bytes,
      digest: again.digest,
      unchanged: { sessions: 9, files: again.unchanged.files },
    });
    const after = await inodesOf(join(place, 'report'));
    const written = [...after].filter(([file, inode]) => before.get(file) !== inode);
    const parts = expect.stringMatching(/^data\/[a-z]+\//) as unknown;
    expect(written.map(([file]) => file)).toEqual(expect.not.arrayContaining([parts]));
  });

  it('is written as a whole after a search', async () => {
    await report('report', { match: 'a' });
    expect((await report()).unchanged.sessions).toBe(0);
    expect(await told('report')).toEqual(anew);
  });

  it('takes no file through a link that somebody has put into the earlier one', async () => {
    const data = join(place, 'report', 'data');
    await rename(join(data, 's'), join(place, 'elsewhere'));
    await symlink(join(place, 'elsewhere'), join(data, 's'));
    expect((await report()).unchanged.sessions).toBe(0);
    expect(await told('report')).toEqual(anew);
  });

  it('leaves a directory of somebody else alone', async () => {
    const theirs = join(place, 'report', 'notes.txt');
    await writeFile(theirs, 'mine');
    await expect(report()).rejects.toThrow('is not empty: name a new or an empty directory');
    expect(await readFile(theirs, 'utf8')).toBe('mine');
    await mkdir(join(place, 'other', 'data'), { recursive: true });
    await writeFile(join(place, 'other', 'index.html'), 'mine');
    await expect(report('other')).rejects.toThrow('is not empty');
  });

  it('removes what a process that has died had begun', async () => {
    await mkdir(join(place, `${dead}.partial`, 'data'), { recursive: true });
    await writeFile(join(place, `${dead}.partial`, 'data', 'x.js'), 'erased since');
    await report();
    expect(await readdir(place)).toEqual(['report']);
  });

  it('removes the earlier one if the new one of a process that has died has its place', async () => {
    await cp(join(place, 'report'), join(place, `${dead}.replaced`), { recursive: true });
    await report();
    expect(await readdir(place)).toEqual(['report']);
  });

  it('leaves directories of others alone, and of processes that live', async () => {
    const alive = `.report.${stagingPrefix(systemProcesses.self, '0123456789abcdef')}-0.partial`;
    await mkdir(join(place, alive));
    await mkdir(join(place, '.report.backup.partial'));
    await report();
    expect(await readdir(place)).toEqual(['.report.backup.partial', alive, 'report'].sort());
  });
});
