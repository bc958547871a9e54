/**
 * An archive with every kind of caveat, for tests of what is said of it: of ada there are gaps, doubts, lost and doubtful
 * files, questions without a date, long tables, holds, a conversation that is gone from the service and some without questions, one of them also of ben; ben was never listed; of cleo all but one
 * conversation are erased; ben is skipped, as another spelling was suppressed; of cloe nothing is listed; and the budget of the last export has left users.
 */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suppressionsOf } from '../../../src/archive/notes/set-suppressions.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { appendNote } from '../../../src/archive/runs/note.js';
import { openArchive } from '../../../src/library/operations.js';
import { cliJson } from '../programs/cli-in-process.js';
import { NO_JOB, session as sessionEntry } from '../store/archive-samples.js';
import { SearchRig, type SaidJob } from './search-rig.js';
import type { ExportRig } from './export-rig.js';

/** Longer than what a search reads of a table. */
const LONG_TABLE = `who\n${`${'x'.repeat(98)}\n`.repeat(200)}falcon\n`;
const NO_TEXT = Buffer.from('504b0304140000000800ff', 'hex');
/** What is made for it is told of no other hold. */
export const REQUEST = 'Matter 7';
/** The word of most questions; the period of all that have a date. */
export const SEARCH = ['--match', 'falcon', '--from', '2026-01-01', '--to', '2099'];
/** Its id is mistyped: the service lists nothing. */
export const NOBODY = 'cloe';
/** The budget of the last export of everybody was spent before them, and before others who had been read. */
const UNREAD = Array.from({ length: 9 }, (_, n) => `unread-${n}`);
/** Of the erased ones one is left. */
const CLEOS = 8;

export class CaveatsRig implements AsyncDisposable {
  private constructor(readonly people: SearchRig) {}

  get rig(): ExportRig {
    return this.people.rig;
  }

  get out(): string {
    return this.rig.out;
  }

  /** A file of the archive's directory's neighbourhood. */
  beside(name: string): string {
    return join(this.rig.directory, name);
  }

  /** Of a line of `--json`, as all outputs have them: only that of commands knows the place of the archive. */
  caveatsIn(line: string): readonly Caveat[] {
    return (JSON.parse(line.replaceAll(this.out, 'ARCHIVE')) as { caveats: readonly Caveat[] })
      .caveats;
  }

  static async start(): Promise<CaveatsRig> {
    const people = await SearchRig.start();
    const made = new CaveatsRig(people);
    try {
      await made.#fill();
      return made;
    } catch (error) {
      await people[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #fill(): Promise<void> {
    const { people, rig } = this;
    const falcon = (more: SaidJob = {}): SaidJob => ({ question: 'The falcon?', ...more });
    people.talk('ada', 's-1', 'Sales', [
      falcon(),
      falcon({ table: 'missing.csv', csv: null }),
      falcon({ table: 'long.csv', csv: LONG_TABLE }),
      falcon({ table: 'odd.csv', csv: NO_TEXT }),
      falcon({ table: 'empty.csv', csv: '' }),
      falcon({ table: 'lost.csv', csv: 'the,lost\none,1\n' }),
    ]);
    people.talk('ada', 's-2', 'Old notes', [
      falcon({ id: 'no-date-1' }),
      { question: 'The condor?', id: 'no-date-2' },
    ]);
    people.talk('ada', 's-3', 'Agreed', [falcon({ table: 'agreed.csv', csv: null })]);
    people.talk('ada', 's-4', 'Doubted', [falcon()]);
    people.talk('ada', 's-5', 'Today', [falcon({ id: rig.state.newJobId(rig.clock.now()) })]);
    people.talk('ada', 's-gone', 'Gone', [falcon()]);
    people.talk('ada', 's-empty', 'Empty', []);
    people.talk('Ada', 's-empty', 'Empty', []);
    people.talk('Ada', 's-other', 'Another spelling', [falcon()]);
    people.talk('ADA', 's-third', 'Somebody else, perhaps', [falcon()]);
    people.talk('ben', 's-ben', 'Costs', [falcon()]);
    for (const user of ['ada', 'ben']) people.talk(user, 's-both', 'Of both', []);
    people.talk('ben', 's-ben-2', 'Not exported', [falcon()]);
    for (let n = 1; n <= CLEOS; n++) {
      people.talk('cleo', `s-cleo-${n}`, `Plan ${n}`, [falcon()]);
    }
    const isOfBen = (user: string): boolean => user === 'ben';
    await rig.export({ users: rig.state.userIds().filter((user) => !isOfBen(user)) });
    await rig.export({ users: ['ben'], sessions: ['s-ben', 's-both'] });
    await rig.export({ users: [NOBODY] });
    await rig.export({ users: [...rig.state.userIds(), ...UNREAD], maxRequests: 7 });
    rig.state.deleteSession('ada', 's-gone');
    await rig.export({ users: ['ada'], scope: { named: true } });
    await this.#doubt('ada', 's-4');
    const erased = Array.from({ length: CLEOS - 1 }, (_, n) => `s-cleo-${n + 2}`);
    await using archive = await openArchive(rig.out);
    await archive.erase({ sessions: erased, reason: 'asked for' });
    await archive.acceptGaps({ sessions: ['s-3'], reason: 'ticket 7', by: 'Grace Hopper' });
    await archive.newRequest({
      name: REQUEST,
      reason: 'Art. 15',
      by: 'Grace Hopper',
      users: ['ada', 'ben', 'cleo'],
    });
    await archive.newRequest({ name: 'Matter 8', reason: 'secret', by: 'Ken', users: ['ada'] });
    await archive.hold({ request: 'Matter 8' });
    await archive.hold({ sessions: ['s-1'], reason: 'Litigation 9', by: 'Grace Hopper' });
    await this.#suppress('BEN');
    await this.#lose('the,lost');
  }

  /** As after an erasure of this spelling. */
  async #suppress(user: string): Promise<void> {
    const archive = await this.rig.open();
    const suppressions = suppressionsOf(archive, { users: [user], sessions: [] });
    await appendNote(archive, {
      namesPeople: false,
      plan: () => ({ note: { kind: 'suppress', suppressions }, told: () => null }),
    });
  }

  /** A run that listed nobody says that the history of a session may be that of another. */
  async #doubt(user: string, session: string): Promise<void> {
    const { log, states, index } = await this.rig.open();
    await index.refresh();
    const state = (await states.load(user as never)).sessions.get(session as never);
    const gap = {
      ...NO_JOB,
      status: 'doubtful',
      reason: 'its history has jobs of session s-9',
    } as const;
    const entry = sessionEntry(user, session, {
      ...(state && { version: state.version, meta_hash: state.metaHash, total: state.total }),
      gaps: [gap],
      complete: false,
    });
    await log.append({
      kind: 'export',
      base: index.through,
      run: '01ARZ3NDEKTSV4RRFFQ69G5FAV' as never,
      checkpoint: 9,
      tool: 't',
      scope: {},
      sessions: [entry],
    });
  }

  /** Deletes the file that begins so. */
  async #lose(beginning: string): Promise<void> {
    const archive = await this.rig.open();
    for (const path of await this.rig.files('artifacts')) {
      const bytes = Buffer.from(await archive.storage.get(path)).toString();
      if (bytes.startsWith(beginning)) await rm(join(this.rig.out, path));
    }
  }

  /** A pseudonymised copy of it. */
  async copy(name = 'copy', words: readonly string[] = []): Promise<string> {
    const [target, key] = [this.beside(name), this.beside(`${name}-key.bin`)];
    await writeFile(key, randomBytes(32), { mode: 0o600 });
    await cliJson(['copy', this.out, target, '--pseudonymise', key, ...words]);
    return target;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.people[Symbol.asyncDispose]();
  }
}
