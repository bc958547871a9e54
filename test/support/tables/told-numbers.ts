/** What each output says of one archive, in numbers, by the thing that they count. */
import { writeFile } from 'node:fs/promises';
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
import { numberIn, numbersOf, sum, type Telling } from './told-lines.js';
import { ofLastNight } from './told-of-night.js';
import { everybodyIn, ofPack, ofReport, ofWorkbook } from './told-of-products.js';
import { tellOfWork } from './told-of-work.js';

/** By thing, then by output. */
type Told = Map<string, Map<string, number | string>>;

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
    const telling = told.#telling;
    await ofReport(telling);
    await ofPack(telling);
    await ofWorkbook(telling);
    await told.#library();
    await told.#assistant();
    await told.#request(await everybodyIn(telling));
    await told.#checks();
    await told.#copy();
    await ofLastNight(telling);
    await tellOfWork(telling, archive.seed);
    return told;
  }

  get #telling(): Telling {
    const { archive, out } = this;
    return {
      archive,
      out,
      json: (...words) => this.#json(...words),
      tell: (output, numbers) => this.#tell(output, numbers),
      caveats: (output, caveats) => this.#caveats(output, caveats),
    };
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
    const number = (pattern: RegExp): number => numberIn(text, pattern);
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
      readonly sessions: readonly {
        readonly jobs: number;
        readonly gone_at: string | null;
        readonly deleted: boolean;
      }[];
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

  async #request(users: readonly string[]): Promise<void> {
    const { out } = this;
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
    await ofReport(copy.#telling);
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
