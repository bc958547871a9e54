/** What each output says of one archive, in numbers, by the thing that they count. */
import type { Caveat, CaveatKind } from '../../../src/archive/reading/caveats/caveat.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { UserStatus } from '../../../src/completeness/user-status.js';
import { openArchive } from '../../../src/library/operations.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import {
  MONTHS,
  NOT_IN_COPIES,
  NOT_IN_COPIES_WITH_DAYS,
  OF_LISTINGS,
  ROWS_TELL_MORE_OF_COPIES,
  type Thing,
  THING_QUERIES,
} from './counted-things.js';
import type { EverydayArchive } from '../rigs/everyday-archive.js';
import { gaugeOf, metricsIn } from '../base/metrics-folder.js';
import {
  countsByName,
  isWhole,
  numbersOf,
  numbersOfUser,
  sum,
  type Telling,
} from './told-lines.js';
import { ofLastNight } from './told-of-night.js';
import { named, ofPack, ofReport, ofWorkbook } from './told-of-products.js';
import { ofWarehouse } from './told-of-warehouse.js';
import { ofStatusText, ofTerminal } from './told-of-terminal.js';
import { ofLog } from './told-of-log.js';
import { copyOfRequest, tellOfWork } from './told-of-work.js';

/** Each id of an archive, and which person that is. */
async function peopleIn(archive: EverydayArchive, out = archive.out): Promise<Map<string, string>> {
  const words = ['query', out, 'SELECT user_id, person FROM users', '--json'];
  const { rows } = JSON.parse((await archive.run(...words)).stdout) as {
    rows: { user_id: string; person: string }[];
  };
  return new Map(rows.map(({ user_id: user, person }) => [user, person]));
}

/** By thing, then by output. */
type Told = Map<string, Map<string, number | string>>;

function note(told: Told, thing: string, output: string, value: number | string): void {
  const outputs = told.get(thing) ?? new Map<string, number | string>();
  told.set(thing, outputs.set(output, value));
}

type Said = Omit<Caveat, 'open'> & { readonly open?: boolean };

export class ToldNumbers {
  readonly #told: Told = new Map();
  /** What each output says of a caveat that it tells: by kind, then by output. */
  readonly #said: Told = new Map();
  /** What is told of a part of it, which is another number of everything. */
  readonly #parts = new Map<string, ToldNumbers>();

  /**
   * @param out the archive, or a copy of it
   * @param people of whom it is told by name: each id, and which person that is
   * @param whom as words of a command line, where it is told of nobody else
   */
  private constructor(
    readonly archive: EverydayArchive,
    readonly out: string,
    readonly people: ReadonlyMap<string, string>,
    readonly whom: readonly string[] = [],
  ) {}

  static async of(archive: EverydayArchive): Promise<ToldNumbers> {
    const { out, seed } = archive;
    const told = new ToldNumbers(archive, out, await peopleIn(archive));
    await told.#status();
    await told.#query();
    await told.#everything();
    await told.#checks();
    await ofLog(told.#telling);
    await ofWarehouse(told.#telling);
    if (seed % 2 === 0) await told.#copy();
    else if (!(await told.#onePerson())) await told.#oneUser();
    await ofLastNight(told.#telling);
    await tellOfWork(told.#telling, seed);
    if (seed % 4 === 1) await told.#partOfCopy('in the copy for a request', copyOfRequest(archive));
    return told;
  }

  get #telling(): Telling {
    const { archive, out, people, whom } = this;
    return {
      archive,
      out,
      people,
      whom,
      place: (name) => `${out}-${whom.join('')}${name}`,
      json: (...words) => this.#json(...words),
      tell: (output, numbers) => this.#tell(output, numbers),
      caveats: (output, caveats) => this.#caveats(output, caveats),
    };
  }

  /** What may be asked of everybody, and of one user. */
  async #everything(): Promise<void> {
    const telling = this.#telling;
    await this.#show();
    await this.#gapList();
    await this.#search();
    await ofTerminal(telling);
    await ofReport(telling);
    if (this.people.size > 0) {
      await ofPack(telling);
      await ofWorkbook(telling);
      await this.#request();
    }
    await this.#library();
    await this.#assistant();
  }

  /** A line for each thing that is not the same everywhere: which output says what. */
  get differences(): string[] {
    const ofParts = [...this.#parts].flatMap(([part, { differences }]) =>
      differences.map((line) => `${part}, ${line}`),
    );
    const own = [...this.#told, ...this.#said].flatMap(([thing, outputs]) => {
      const values = new Set(outputs.values());
      if (values.size < 2) return [];
      const said = [...values].map((value) => {
        const by = [...outputs].filter(([, other]) => other === value).map(([output]) => output);
        return `${value} (${by.join(', ')})`;
      });
      return [`${thing}: ${said.join(' but ')}`];
    });
    return [...own, ...ofParts];
  }

  /** How many outputs tell of each thing. */
  get outputsOf(): ReadonlyMap<string, number> {
    return new Map([...this.#told].map(([thing, outputs]) => [thing, outputs.size]));
  }

  #tell(output: string, numbers: Readonly<Partial<Record<Thing, number | string>>>): void {
    const isOfCopy = this.out !== this.archive.out;
    for (const [thing, value] of Object.entries(numbers)) {
      if (isOfCopy && ROWS_TELL_MORE_OF_COPIES.has(thing)) continue;
      note(this.#told, thing, output, value);
    }
  }

  /** What caveats say; a kind that is not there counts nothing. */
  #caveats(output: string, caveats: readonly Caveat[]): void {
    const of = (...kinds: readonly CaveatKind[]): number =>
      caveats.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0);
    this.#tell(`caveats of ${output}`, {
      gaps: of('gap'),
      'doubts, accepted or not': of('doubted'),
      'accepted gaps': of('accepted_gap'),
      'conversations without questions': of('without_questions'),
      unsettled: of('unsettled'),
      holds: of('hold'),
      absent: of('absent'),
      erased: of('erased'),
      erasures: of('erasures'),
      'perhaps erased': of('maybe_erased'),
      'listed under another spelling': of('listed_twice'),
      'listed for two users': of('listed_for_two'),
      'never seen users': of('never_seen'),
      'skipped users': of('skipped_user'),
      'unproven users': of('not_proven'),
      'doubtful files': of('suspicious_file'),
      'lost files': of('lost_file'),
      'copies that are not anonymous': of('pseudonymised'),
      'archives without anything': of('nothing_archived'),
    });
    for (const { kind, severity, headline, open } of caveats as readonly Said[]) {
      note(this.#said, `what is said of ${kind}`, output, `${severity}: ${headline}`);
      // the record of a request does not say it
      if (open !== undefined) note(this.#said, `whether ${kind} is open`, output, String(open));
    }
  }

  async #json<T>(...words: readonly string[]): Promise<T> {
    const { stdout, stderr, exitCode } = await this.archive.run(...words, '--json');
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async #status(): Promise<void> {
    const { out } = this;
    const status = await this.#json<ArchiveStatus>('status', out);
    this.#tell('status --json', { ...numbersOf(status), 'how whole it is': status.status });
    this.#caveats('status --json', status.caveats);
    await ofStatusText(this.#telling, status);
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
      readonly status: string;
      readonly total: number;
      readonly caveats: readonly Caveat[];
      readonly sessions: readonly {
        readonly jobs: number;
        readonly gone_at: string | null;
        readonly deleted: boolean;
      }[];
    }
    const { status, total, sessions, caveats } = await this.#json<Shown>(
      'show',
      this.out,
      ...this.whom,
    );
    this.#tell('show --json', {
      'how whole it is': status,
      conversations: total,
      questions: sum(sessions, 'jobs'),
      'conversations without questions': sessions.filter(({ jobs }) => jobs === 0).length,
      absent: sessions.filter(({ gone_at: at, deleted }) => deleted || at !== null).length,
      'deleted by prune': sessions.filter(({ deleted }) => deleted).length,
    });
    this.#caveats('show', caveats);
  }

  async #gapList(): Promise<void> {
    const { gaps } = await this.#json<{
      gaps: { status: string; accepted_at: string | null }[];
    }>('gap', 'list', this.out, ...this.whom);
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
      'doubts, accepted or not': count(true, false) + count(true, true),
      'gaps by reason': countsByName(
        gaps.filter(({ status, accepted_at: at }) => status !== 'doubtful' && at === null),
      ),
    });
    if (this.whom.length > 0) return;
    const { holds } = await this.#json<{ holds: { released_at: string | null }[] }>(
      ...(['hold', 'list', this.out] as const),
    );
    this.#tell('hold list', {
      holds: holds.filter(({ released_at: released }) => released === null).length,
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
    const words = ['search', this.out, 'question', ...this.whom];
    const everything = await this.#json<Found>(...words, '--limit', '500');
    this.#tell('search', {
      questions: everything.total,
      'questions searched': everything.searched,
    });
    // a period that has everything, and tells by itself what it leaves out
    const period = [...words, '--from', '1990', '--to', '2099'];
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
    // of a copy queries tell it, and of one user nobody asks
    if (this.whom.length === 0 && this.out === this.archive.out) {
      for (const month of MONTHS) {
        const { searched } = await this.#json<Found>(...words, '--from', month, '--to', month);
        this.#tell(`search of ${month}`, { [`questions of ${month}`]: searched });
      }
    }
    if (left.left_out.length !== left.time_unknown && left.time_unknown <= 10) {
      this.#tell('search: left_out', { 'questions searched': left.left_out.length });
    }
  }

  async #library(): Promise<void> {
    await using archive = await openArchive(this.out);
    await using making = await archive.making({
      users: this.whom.length === 0 ? [] : [...this.people.keys()],
      tables: ['blocks', 'artifacts'],
    });
    const { people, sessions, jobs } = making.counts;
    this.#tell('making.counts', { people, conversations: sessions, questions: jobs });
    let [conversations, questions, undated, unsettled, stored, places] = [0, 0, 0, 0, 0, 0];
    const digests = new Set<unknown>();
    const asking = new Set<string>();
    for await (const conversation of making.conversations()) {
      conversations++;
      const { user_id: user } = conversation.session;
      if (conversation.jobs.length > 0) asking.add(this.people.get(user) ?? user);
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
      'people who asked': asking.size,
    });
    this.#tell('making.users', { ids: making.users.length });
    this.#caveats('making', await making.caveats());
  }

  async #assistant(): Promise<void> {
    await using archive = await openArchive(this.out);
    const limits = { memoryBytes: 5e8, maxFetchBytes: 1e9 };
    const call = { archive, limits, onProgress: () => undefined };
    const [user] = this.whom.length === 0 ? [] : this.people.keys();
    const ask = (name: string, given: object) =>
      TOOLS.find((tool) => tool.name === name)!.run(call, { user, ...given });
    const { facts } = await ask('status', {});
    const counted = facts as unknown as ArchiveStatus & { user: UserStatus };
    const numbers = user === undefined ? numbersOf(counted) : numbersOfUser(counted.user);
    this.#tell('assistant: status', numbers);
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
    const name = `All of ${this.whom.at(-1) ?? 'everybody'}`;
    const by = ['--by', 'Grace Hopper'];
    await this.#json('request', 'new', out, name, ...named(this), ...by, '--reason', 'Art. 15');
    const place = this.#telling.place('request.xlsx');
    const making = ['--request', name, ...by, '--allow-lost-files', '--out', place];
    await this.#json('workbook', out, ...making);
    interface Shown {
      readonly packs?: readonly { sessions: number; jobs: number; caveats: Caveat[] }[];
    }
    const shown = await this.#json<Shown>('request', 'show', out, name);
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
    const hasTimes = this.archive.seed % 4 === 0;
    const kept = ['--keep-text', ...(hasTimes ? ['--keep-times'] : [])];
    const made = await this.#json<{ users: number; sessions: number; jobs: number }>(
      ...['copy', this.out, place, '--pseudonymise', key, ...kept],
    );
    this.#tell('copy --json', {
      people: made.users,
      conversations: made.sessions,
      questions: made.jobs,
    });
    const copy = await this.#partOfCopy('in the copy', place);
    const perhapsErased = [...(this.#told.get('perhaps erased')?.values() ?? [])];
    const hasListings = perhapsErased.every((count) => count === 0);
    for (const [thing, outputs] of copy.#told) {
      if (NOT_IN_COPIES.has(thing) || (!hasTimes && NOT_IN_COPIES_WITH_DAYS.has(thing))) continue;
      if (!hasListings && OF_LISTINGS.has(thing)) continue;
      for (const [output, value] of outputs) {
        this.#tell(`${output} of the copy`, { [thing]: value });
      }
    }
  }

  /** All outputs of a copy tell the same of it. */
  async #partOfCopy(name: string, place: string): Promise<ToldNumbers> {
    const copy = new ToldNumbers(this.archive, place, await peopleIn(this.archive, place));
    this.#parts.set(name, copy);
    await copy.#status();
    await copy.#query();
    await copy.#show();
    await copy.#gapList();
    await copy.#search();
    await ofTerminal(copy.#telling);
    await copy.#library();
    await copy.#assistant();
    await ofReport(copy.#telling);
    if (copy.people.size > 0) await ofWorkbook(copy.#telling);
    return copy;
  }

  /** Of one user it is told alike whatever is asked: of exactly the id that is named. */
  async #oneUser(): Promise<void> {
    const people = [...this.people];
    const one = people[(this.archive.seed >> 1) % people.length];
    if (!one) return;
    const [user] = one;
    const told = new ToldNumbers(this.archive, this.out, new Map([one]), ['--user', user]);
    this.#parts.set(`of ${user}`, told);
    const { details } = await this.#json<{
      details: (UserStatus & { caveats: Caveat[]; holds: unknown[] })[];
    }>('status', this.out, ...told.whom);
    for (const { caveats, holds, ...status } of details) {
      told.#tell('status --user', {
        ...numbersOfUser(status),
        'how whole it is': status.status,
        holds: holds.length,
        'complete users': isWhole(status.status) ? 1 : 0,
      });
      told.#caveats('status --user', caveats);
    }
    await told.#everything();
  }

  /**
   * Of a user whose conversations two spellings list it is told alike by whatever takes both.
   *
   * @returns false where there is none
   */
  async #onePerson(): Promise<boolean> {
    const spellings = [...this.people].filter(([, person]) => {
      const count = [...this.people.values()].filter((other) => other === person).length;
      return count > 1;
    });
    const [[, first] = []] = spellings;
    if (first === undefined) return false;
    const ids = new Map(spellings.filter(([, person]) => person === first));
    const whom = [...ids.keys()].flatMap((user) => ['--user', user]);
    const told = new ToldNumbers(this.archive, this.out, ids, whom);
    this.#parts.set(`of ${[...ids.keys()].join(' and ')}`, told);
    const { details } = await this.#json<{
      details: { detail: { jobs: { total: number }; counts_for: string | null }[] }[];
    }>('status', this.out, ...whom);
    const sessions = details.flatMap(({ detail }) => detail);
    const once = sessions.filter(({ counts_for: other }) => other === null);
    told.#tell('status of both', {
      people: 1,
      ids: details.length,
      conversations: once.length,
      questions: once.reduce((all, { jobs }) => all + jobs.total, 0),
    });
    await told.#gapList();
    await told.#search();
    await ofReport(told.#telling);
    await ofPack(told.#telling);
    await ofWorkbook(told.#telling);
    await told.#request();
    await told.#library();
    return true;
  }

  async #checks(): Promise<void> {
    const { archive, out } = this;
    const metrics = ['--metrics-dir', archive.directory];
    const drill = await this.#json<{
      sessions: number;
      jobs: number;
      files: number;
      not_stored: number;
      differences: number;
    }>('drill', out, ...metrics);
    this.#tell('drill', {
      conversations: drill.sessions,
      questions: drill.jobs,
      'places not stored': drill.not_stored,
      'different files of all versions': drill.files,
    });
    const status = await this.#json<ArchiveStatus>('status', out, '--exact');
    this.#tell('status --json, size', { 'stored in the archive': status.size.artifacts });
    const verified = await this.#json<{
      status: string;
      artifacts: number;
      rows: Readonly<Record<string, number>>;
      erasures: readonly unknown[];
    }>('verify', out, ...metrics);
    if (verified.status !== 'intact') throw new Error(JSON.stringify(verified));
    this.#tell('verify', {
      'stored in the archive': verified.artifacts,
      'rows of jobs': verified.rows['jobs'] ?? 0,
      'rows of all tables': Object.values(verified.rows).reduce((all, rows) => all + rows, 0),
      erasures: verified.erasures.length,
    });
    const text = await metricsIn(archive.directory);
    this.#tell('metrics of verify', {
      'rows of jobs': gaugeOf(text, 'verify', 'run_rows', 'table="jobs"'),
      'rows of all tables': gaugeOf(text, 'verify', 'run_rows'),
    });
    this.#tell('metrics of drill', {
      conversations: gaugeOf(text, 'drill', 'run_sessions', 'state="restored"'),
      questions: gaugeOf(text, 'drill', 'run_jobs'),
      'different files of all versions': gaugeOf(text, 'drill', 'run_files', 'status="restored"'),
    });
  }
}
