/** What each output says of one archive, in numbers, by the thing that they count. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import type { Caveat, CaveatKind } from '../../../src/archive/reading/caveats/caveat.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { openArchive } from '../../../src/library/operations.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import {
  MONTHS,
  NOT_IN_COPIES,
  NOT_IN_COPIES_WITH_DAYS,
  type Thing,
  THING_QUERIES,
} from './counted-things.js';
import type { EverydayArchive } from '../rigs/everyday-archive.js';
import {
  erasedOf,
  numbersOf,
  missing,
  isWhole,
  sum,
  pictured,
  textOf,
  type PeopleLine,
  type SessionLine,
  type JobLine,
  type Telling,
} from './told-lines.js';
import { EvidencePack } from './evidence-pack.js';
import { ofLastNight } from './told-of-night.js';
import { tellOfWork } from './told-of-work.js';

/** By thing, then by output. */
type Told = Map<string, Map<string, number | string>>;

/** What pages and tables say of a conversation that the service has no more. */
const GONE = /^(deleted from the service|not listed any more)/;
const DELETED = /^deleted/;

interface Counted {
  readonly user_id: string;
  readonly gaps: number;
  readonly doubts: number;
  readonly accepted_gaps: number;
  readonly accepted_doubts: number;
}

export class ToldNumbers {
  readonly #told: Told = new Map();

  /** @param out the archive, or a copy of it */
  private constructor(
    readonly archive: EverydayArchive,
    readonly out = archive.out,
  ) {}

  static async of(archive: EverydayArchive): Promise<ToldNumbers> {
    const told = new ToldNumbers(archive);
    await told.#status();
    await told.#query();
    await told.#show();
    await told.#gapList();
    await told.#search();
    await told.#report();
    await told.#pack();
    await told.#workbook();
    await told.#library();
    await told.#assistant();
    await told.#request();
    await told.#checks();
    await told.#copy();
    const telling: Telling = {
      archive,
      json: (...words) => told.#json(...words),
      tell: (output, numbers) => told.#tell(output, numbers),
    };
    await ofLastNight(telling);
    await tellOfWork(telling, archive.seed);
    return told;
  }

  /** A line for each thing that is not the same everywhere: which output says what. */
  get differences(): string[] {
    return [...this.#told].flatMap(([thing, outputs]) => {
      const values = new Set(outputs.values());
      if (values.size < 2) return [];
      const said = [...values].map((value) => {
        const by = [...outputs].filter(([, other]) => other === value).map(([output]) => output);
        return `${value} (${by.join(', ')})`;
      });
      return [`${thing}: ${said.join(' but ')}`];
    });
  }

  /** How many outputs tell of each thing. */
  get outputsOf(): ReadonlyMap<string, number> {
    return new Map([...this.#told].map(([thing, outputs]) => [thing, outputs.size]));
  }

  #tell(output: string, numbers: Readonly<Partial<Record<Thing, number | string>>>): void {
    for (const [thing, value] of Object.entries(numbers)) {
      const outputs = this.#told.get(thing) ?? new Map<string, number | string>();
      this.#told.set(thing, outputs.set(output, value));
    }
  }

  /** What caveats say; a kind that is not there counts nothing. */
  #caveats(output: string, caveats: readonly Caveat[]): void {
    const of = (...kinds: readonly CaveatKind[]): number =>
      caveats.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0);
    this.#tell(`caveats of ${output}`, {
      gaps: of('gap'),
      doubts: of('doubted'),
      'accepted gaps and doubts': of('accepted_gap'),
      'conversations without questions': of('without_questions'),
      unsettled: of('unsettled'),
      holds: of('hold'),
      gone: of('gone'),
      erased: of('erased'),
    });
  }

  async #json<T>(...words: readonly string[]): Promise<T> {
    const { stdout, stderr, exitCode } = await this.archive.run(...words, '--json');
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async #status(): Promise<void> {
    const { out } = this;
    const status = await this.#json<ArchiveStatus>('status', out);
    this.#tell('status --json', numbersOf(status));
    this.#caveats('status --json', status.caveats);
    const { stdout: text } = await this.archive.run('status', out);
    const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
    this.#tell('status', {
      ids: number(/^ {2}users +(\d+)/m),
      conversations: number(/^ {2}conversations +(\d+)/m),
      questions: number(/^ {2}questions +(\d+)/m),
      unsettled: number(
        /^ {2}questions .* (\d+) (?:that may still change|not settled when it was made)/m,
      ),
      'conversations without questions': number(
        /^ +note +(\d+) conversations? ha(?:s|ve) no question/m,
      ),
      'deleted by prune': number(/, (\d+) of them deleted by prune/),
      gone: number(/, (\d+) gone from the service/),
    });
  }

  async #query(): Promise<void> {
    const { out } = this;
    const asked = Object.entries(THING_QUERIES);
    const sql = `SELECT ${asked.map(([, { sql: one }], at) => `(${one}) AS c${at}`).join(',\n')}`;
    const { rows, caveats } = await this.#json<{
      rows: Record<string, number | null>[];
      caveats: Caveat[];
    }>('query', out, sql);
    for (const [at, [output, { thing }]] of asked.entries()) {
      this.#tell(`query ${output}`, { [thing]: rows[0]?.[`c${at}`] ?? 0 });
    }
    this.#caveats('query', caveats);
  }

  async #show(): Promise<void> {
    interface Shown {
      readonly total: number;
      readonly caveats: readonly Caveat[];
      readonly sessions: readonly (Counted & {
        readonly jobs: number;
        readonly gone_at: string | null;
        readonly deleted: boolean;
      })[];
    }
    const { total, sessions, caveats } = await this.#json<Shown>('show', this.out);
    this.#tell('show --json', {
      conversations: total,
      questions: sum(sessions, 'jobs'),
      'conversations without questions': sessions.filter(({ jobs }) => jobs === 0).length,
      gone: sessions.filter(({ gone_at: at, deleted }) => deleted || at !== null).length,
      'deleted by prune': sessions.filter(({ deleted }) => deleted).length,
    });
    this.#caveats('show', caveats);
  }

  async #gapList(): Promise<void> {
    const { gaps } = await this.#json<{
      gaps: { status: string; accepted_at: string | null }[];
    }>('gap', 'list', this.out);
    const count = (isDoubt: boolean, isAccepted: boolean): number =>
      gaps.filter(
        ({ status, accepted_at: at }) =>
          (status === 'doubtful') === isDoubt && (at !== null) === isAccepted,
      ).length;
    this.#tell('gap list', {
      gaps: count(false, false),
      doubts: count(true, false),
      'accepted gaps': count(false, true),
      'accepted doubts': count(true, true),
      'accepted gaps and doubts': count(false, true) + count(true, true),
    });
    const holds = await this.#json<{ holds: { released: string | null; release?: unknown }[] }>(
      'hold',
      'list',
      this.out,
    );
    this.#tell('hold list', {
      holds: holds.holds.filter((one) => (one.released ?? one.release ?? null) === null).length,
    });
  }

  async #search(): Promise<void> {
    interface Found {
      readonly total: number;
      readonly searched: number;
      readonly matches: number;
      readonly time_unknown: number;
      readonly left_out: readonly unknown[];
    }
    const { out } = this;
    const everything = await this.#json<Found>('search', out, 'question', '--limit', '500');
    this.#tell('search', {
      questions: everything.total,
      'questions searched': everything.searched,
    });
    // a period that has everything, and tells by itself what it leaves out
    const period = ['search', out, 'question', '--from', '1990', '--to', '2099'];
    const left = await this.#json<Found>(...period, '--limit', '500');
    this.#tell('search of a period', {
      questions: left.total,
      'questions searched': left.searched + left.time_unknown,
    });
    const taken = await this.#json<Found>(...period, '--undated', 'include');
    this.#tell('search of a period with undated ones', {
      questions: taken.total,
      'questions searched': taken.searched,
    });
    for (const month of MONTHS) {
      const words = ['search', out, 'question', '--from', month, '--to', month];
      const { searched } = await this.#json<Found>(...words);
      this.#tell(`search of ${month}`, { [`questions of ${month}`]: searched });
    }
    if (left.left_out.length !== left.time_unknown && left.time_unknown <= 10) {
      this.#tell('search: left_out', { 'questions searched': left.left_out.length });
    }
  }

  async #report(): Promise<void> {
    const { out } = this;
    const place = `${this.out}-report`;
    interface Made {
      readonly users: number;
      readonly sessions: number;
      readonly jobs: number;
      readonly artifacts: number;
      readonly caveats: readonly Caveat[];
    }
    const made = await this.#json<Made>('report', out, '--allow-lost-files', '--out', place);
    this.#tell('report --json', {
      people: made.users,
      conversations: made.sessions,
      questions: made.jobs,
      'different files': made.artifacts,
    });
    this.#caveats('report', made.caveats);
    const data = async (name: string) => {
      const script = await readFile(join(place, 'data', `${name}.js`), 'utf8');
      return JSON.parse(script.slice(script.indexOf(',') + 1, script.lastIndexOf(')'))) as unknown;
    };
    const { users } = (await data('people')) as { users: PeopleLine[] };
    this.#tell('report: users', {
      ids: users.length,
      conversations: sum(users, 'sessions'),
      questions: sum(users, 'jobs'),
      ...missing(users.map(({ gaps }) => gaps)),
      'complete users': users.filter(({ completeness }) => isWhole(completeness)).length,
    });
    const { sessions } = (await data('latest')) as { sessions: SessionLine[] };
    this.#tell('report: conversations', {
      conversations: sessions.length,
      questions: sum(sessions, 'archived'),
      'conversations without questions': sessions.filter(({ jobs }) => jobs === 0).length,
      gone: sessions.filter(({ marks }) => marks.some((mark) => GONE.test(mark))).length,
      'deleted by prune': sessions.filter(({ marks }) => marks.some((mark) => DELETED.test(mark)))
        .length,
    });
    let [unanswered, unsettled, undated] = [0, 0, 0];
    const places: string[] = [];
    for (const { number } of sessions) {
      const { pieces } = (await data(`s/${number}`)) as { pieces: number[] };
      for (const piece of pieces.keys()) {
        const { jobs } = (await data(`s/${number}-${piece}`)) as { jobs: JobLine[] };
        for (const job of jobs) {
          if (!job.isAnswered) unanswered++;
          if (!job.settled) unsettled++;
          if (typeof job.created !== 'number') undated++;
          const blocks = [...job.answer, ...job.steps.flatMap((step) => step.blocks)];
          places.push(
            ...blocks.map((one) => (one.kind === 'lost' ? `lost ${one.type}` : one.kind)),
          );
        }
      }
    }
    const count = (...kinds: readonly string[]): number =>
      places.filter((kind) => kinds.includes(kind)).length;
    this.#tell('report: pages', {
      unsettled,
      unanswered,
      'questions without a time': undated,
      tables: count('table', 'lost TABLE'),
      images: count('image', 'lost IMAGE'),
    });
    const html = await readFile(join(place, 'index.html'), 'utf8');
    const text = textOf(html);
    const tile = (name: string): number =>
      Number(new RegExp(`${name} ([\\d,]+)`).exec(text)?.[1]?.replaceAll(',', '') ?? 0);
    this.#tell('report: first page', {
      people: tile('Users'),
      conversations: tile('Conversations'),
      questions: tile('Questions'),
      'different files': tile('Tables and images'),
      'questions in the picture': pictured(html),
      'questions without a time': Number(
        /([\d,]+) (?:of [\d,]+ questions? ha(?:s|ve) no time|questions?, without a time)/.exec(
          text,
        )?.[1] ?? 0,
      ),
    });
  }

  async #usersHere(): Promise<string[]> {
    const { rows } = await this.#json<{ rows: { user_id: string }[] }>(
      'query',
      this.archive.out,
      'SELECT user_id FROM users',
    );
    return rows.map(({ user_id: user }) => user);
  }

  async #pack(): Promise<void> {
    const { out } = this;
    const place = this.archive.beside('pack');
    const users = (await this.#usersHere()).flatMap((user) => ['--user', user]);
    if (users.length === 0) return;
    interface Made {
      readonly users: number;
      readonly sessions: number;
      readonly jobs: number;
      readonly artifacts: number;
      readonly caveats: readonly Caveat[];
    }
    const made = await this.#json<Made>(
      'evidence',
      out,
      ...users,
      '--allow-lost-files',
      '--out',
      place,
    );
    this.#tell('evidence --json', {
      people: made.users,
      conversations: made.sessions,
      questions: made.jobs,
      'different files': made.artifacts,
    });
    this.#caveats('evidence', made.caveats);
    const pack = new EvidencePack(place);
    const summary = await pack.rawPage('summary');
    const total = (column: string): number =>
      summary.reduce((all, row) => all + Number(row[column]), 0);
    this.#tell('summary.csv', {
      ids: summary.length,
      conversations: total('sessions'),
      questions: total('jobs'),
      'places of files in all versions': total('file_places'),
      'places stored in all versions': total('file_places_stored'),
      gaps: total('gaps'),
      doubts: total('doubts'),
      'accepted gaps': total('accepted_gaps'),
      'accepted doubts': total('accepted_doubts'),
      erased: await this.#erasedIn(summary),
      'complete users': summary.filter((row) => isWhole(row['complete'] ?? '')).length,
    });
    const index = await pack.rawPage('index');
    const at = (pattern: RegExp): number =>
      index.filter((row) => pattern.test(row['at_the_service'] ?? '')).length;
    this.#tell('index.csv', {
      conversations: index.length,
      gone: index.length - at(/^yes$/),
      'deleted by prune': at(DELETED),
    });
    const items = await pack.rawPage('items');
    const ofStatus = (status: string): number =>
      items.filter((row) => row['status'] === status).length;
    this.#tell('items.csv', {
      'not settled by the log': ofStatus('unsettled'),
      'places stored in all versions': ofStatus('stored'),
    });
    const readme = await pack.text('data/README.txt');
    const line = (name: string): number =>
      Number(
        new RegExp(`^ {2}${name} +([\\d,]+)`, 'm').exec(readme)?.[1]?.replaceAll(',', '') ?? 0,
      );
    this.#tell('README.txt', {
      people: line('users'),
      conversations: line('conversations'),
      questions: line('questions'),
      'different files': line('tables, images'),
    });
    const text = textOf(await pack.text('data/index.html'));
    const tile = (name: string): number =>
      Number(new RegExp(`${name} ([\\d,]+)`).exec(text)?.[1]?.replaceAll(',', '') ?? 0);
    this.#tell('page of the pack', {
      people: tile('Users'),
      conversations: tile('Conversations'),
      questions: tile('Questions'),
      'different files': tile('Tables and images'),
    });
  }

  async #erasedIn(summary: readonly Record<string, string>[]): Promise<number> {
    const { rows } = await this.#json<{ rows: { user_id: string; person: string }[] }>(
      ...['query', this.out, 'SELECT user_id, person FROM users'],
    );
    return erasedOf(summary, new Map(rows.map(({ user_id: user, person }) => [user, person])));
  }

  async #workbook(): Promise<void> {
    const { out } = this;
    const place = this.archive.beside('book.xlsx');
    const users = (await this.#usersHere()).flatMap((user) => ['--user', user]);
    if (users.length === 0) return;
    interface Made {
      readonly users: number;
      readonly sessions: number;
      readonly jobs: number;
      readonly artifacts: number;
      readonly caveats: readonly Caveat[];
    }
    const made = await this.#json<Made>(
      'workbook',
      out,
      ...users,
      '--allow-lost-files',
      '--out',
      place,
    );
    this.#tell('workbook --json', {
      people: made.users,
      conversations: made.sessions,
      questions: made.jobs,
      'different files': made.artifacts,
    });
    this.#caveats('workbook', made.caveats);
    const { sheets } = await readXlsx(await readFile(place));
    const cover = new Map((sheets[0]?.rows ?? []).map((row) => [String(row[0]), row[1]]));
    const line = (name: string): number => Number(cover.get(name) ?? 0);
    this.#tell('cover of the workbook', {
      people: cover.has('User') ? 1 : line('Users'),
      conversations: line('Conversations'),
      questions: line('Questions'),
      'different files': line('Files'),
    });
  }

  async #library(): Promise<void> {
    await using archive = await openArchive(this.archive.out);
    await using making = await archive.making({ tables: ['blocks', 'artifacts'] });
    const { people, sessions, jobs } = making.counts;
    this.#tell('making.counts', { people, conversations: sessions, questions: jobs });
    let [conversations, questions, undated, unsettled, stored, places] = [0, 0, 0, 0, 0, 0];
    const digests = new Set<unknown>();
    for await (const conversation of making.conversations()) {
      conversations++;
      for (const job of conversation.jobs) {
        questions++;
        if (job.mayChange) unsettled++;
        if (job.job['created_at'] === null) undated++;
        for (const file of job.artifacts) {
          places++;
          if (file['status'] !== 'stored') continue;
          stored++;
          digests.add(file['sha256']);
        }
      }
    }
    this.#tell('making.conversations()', {
      conversations,
      questions,
      unsettled,
      'questions without a time': undated,
      'places of files': places,
      'places stored': stored,
      'different files': digests.size,
    });
    this.#tell('making.users', { ids: making.users.length });
    this.#caveats('making', await making.caveats());
  }

  async #assistant(): Promise<void> {
    await using archive = await openArchive(this.archive.out);
    const limits = { memoryBytes: 5e8, maxFetchBytes: 1e9 };
    const call = { archive, limits, onProgress: () => undefined };
    const ask = (name: string, given: object) =>
      TOOLS.find((tool) => tool.name === name)!.run(call, given);
    const { facts } = await ask('status', {});
    this.#tell('assistant: status', numbersOf(facts as unknown as ArchiveStatus));
    this.#caveats('assistant: status', (facts as { caveats: Caveat[] }).caveats);
    const sessions = await ask('sessions', { limit: 200, offset: 0 });
    this.#tell('assistant: sessions', {
      conversations: sessions.list?.total ?? 0,
      questions: sum(sessions.list?.items as { jobs: number }[], 'jobs'),
    });
    const found = await ask('search', { words: 'question', limit: 1 });
    const searched = found.facts as { total: number; searched: number };
    this.#tell('assistant: search', {
      questions: searched.total,
      'questions searched': searched.searched,
    });
  }

  async #request(): Promise<void> {
    const { out } = this;
    const users = (await this.#usersHere()).flatMap((user) => ['--user', user]);
    if (users.length === 0) return;
    const by = ['--by', 'Grace Hopper', '--reason', 'Art. 15'];
    await this.archive.run('request', 'new', out, 'Everybody', ...users, ...by);
    const told = ['--request', 'Everybody', '--by', 'Grace Hopper', '--allow-lost-files'];
    const { exitCode, stderr } = await this.archive.run(
      'workbook',
      out,
      ...told,
      '--out',
      this.archive.beside('request.xlsx'),
    );
    if (exitCode !== 0 && exitCode !== 3) throw new Error(stderr);
    interface Shown {
      readonly packs?: readonly { sessions: number; jobs: number; caveats: Caveat[] }[];
    }
    const shown = await this.#json<Shown>('request', 'show', out, 'Everybody');
    for (const { sessions, jobs } of shown.packs ?? []) {
      this.#tell('request show', { conversations: sessions, questions: jobs });
    }
    for (const { caveats } of shown.packs ?? []) {
      this.#caveats('request show', caveats);
    }
  }

  /** A pseudonymised copy says the same of all that it has. */
  async #copy(): Promise<void> {
    const [place, key] = [this.archive.beside('copy'), this.archive.beside('key')];
    await writeFile(key, 'no secret of anybody, and 32 bytes');
    const hasTimes = this.archive.seed % 2 === 1;
    const kept = ['--keep-text', ...(hasTimes ? ['--keep-times'] : [])];
    const made = await this.#json<{ users: number; sessions: number; jobs: number }>(
      ...['copy', this.out, place, '--pseudonymise', key, ...kept],
    );
    this.#tell('copy --json', {
      people: made.users,
      conversations: made.sessions,
      questions: made.jobs,
    });
    const copy = new ToldNumbers(this.archive, place);
    await copy.#status();
    await copy.#query();
    await copy.#show();
    await copy.#gapList();
    await copy.#search();
    await copy.#report();
    for (const [thing, outputs] of copy.#told) {
      if (NOT_IN_COPIES.has(thing) || (!hasTimes && NOT_IN_COPIES_WITH_DAYS.has(thing))) continue;
      for (const [output, value] of outputs) {
        this.#tell(`${output} of the copy`, { [thing]: value });
      }
    }
  }

  async #checks(): Promise<void> {
    const { out } = this;
    const drill = await this.#json<{
      sessions: number;
      jobs: number;
      files: number;
      not_stored: number;
      differences: number;
    }>('drill', out);
    this.#tell('drill', {
      conversations: drill.sessions,
      questions: drill.jobs,
      'places not stored': drill.not_stored,
      'stored in the archive': drill.files,
    });
    const status = await this.#json<ArchiveStatus>('status', out);
    this.#tell('status --json, size', { 'stored in the archive': status.size.artifacts });
    const verified = await this.#json<{ status: string; artifacts: number }>('verify', out);
    if (verified.status !== 'intact') throw new Error(JSON.stringify(verified));
    this.#tell('verify', { 'stored in the archive': verified.artifacts });
  }
}
