/** `index.csv`: every session of the pack with its date, title and transcript, by user and date; and what the pack's page says of holds. */
import {
  boundAsText,
  heldAs,
  heldForm,
  holdsOn,
  type BindingHold,
} from '../archive/holds/holds.js';
import type { ShownHolds } from '../archive/reading/requests/shown-holds.js';
import type { CsvFiles } from './csv-files.js';
import type { HistoryState } from '../archive/reading/doubts.js';
import { serviceStatus, type SessionPlan } from './plan.js';

interface IndexedSession {
  readonly plan: SessionPlan;
  /** When it began, ISO 8601; null where no id tells a time. */
  readonly at: string | null;
  readonly title: string | null;
  /** The path of its transcript. */
  readonly path: string;
}

export class SessionIndex {
  /** The sessions of the current user. */
  #sessions: IndexedSession[] = [];
  /** By number of the session. */
  readonly #transcripts = new Map<number, string>();
  readonly #places = new Map<number, ReadonlyMap<string, number | null>>();
  /** By the hold's id: one binds every spelling of its user. Who is the same person has a line of its own. */
  readonly #holdLines = new Map<string, string>();
  readonly #csv: CsvFiles;
  /** Every hold of the archive. */
  readonly #holds: ShownHolds;

  constructor(csv: CsvFiles, holds: ShownHolds) {
    this.#csv = csv;
    this.#holds = holds;
  }

  /** Who asked for each hold, why, and for how long; `holds.csv` has the same. */
  get holdLines(): readonly string[] {
    return [...this.#holdLines.values()];
  }

  /**
   * The places of a session's jobs in the pack among all of its jobs; undefined where all are in the pack.
   *
   * @param session its number
   */
  placesOf(session: number): ReadonlyMap<string, number | null> | undefined {
    return this.#places.get(session);
  }

  /** The path of a session's transcript below `data/`. @param session its number */
  transcriptOf(session: number): string | undefined {
    return this.#transcripts.get(session);
  }

  /** Sessions of one user after the other. */
  add(indexed: IndexedSession): void {
    this.#sessions.push(indexed);
    const { jobs, surveyed } = indexed.plan;
    const { number, jobs: archived } = surveyed;
    this.#transcripts.set(number, indexed.path);
    if (jobs.size === archived) return;
    this.#places.set(number, new Map([...jobs].map(([id, { place }]) => [id, place])));
  }

  /** Oldest first, sessions without a time last. Of a user without sessions here the holds are told all the same. */
  async finishUser(user: string): Promise<void> {
    const placeOf = ({ at }: IndexedSession): string => at ?? '~';
    const sorted = this.#sessions.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const sessions = sorted.map(({ plan }) => plan.session);
    const holds = holdsOn(this.#holds.told, user, sessions);
    const others = holdsOn(this.#holds.others, user, sessions);
    for (const hold of holds) {
      const key = hold.samePersons.has(user) ? JSON.stringify([hold.id, user]) : hold.id;
      if (!this.#holdLines.has(key)) this.#holdLines.set(key, holdLine(hold, user, sorted));
    }
    for (const indexed of sorted) {
      await this.#csv.write('index', rowOf(indexed, [...holds, ...others]));
    }
    this.#sessions = [];
  }
}

const HISTORY_WORDS: Readonly<Record<HistoryState, string>> = {
  read_to_end: 'yes',
  in_doubt: 'in doubt',
  not_read_to_end: 'no',
};

function rowOf({ plan, at, title, path }: IndexedSession, holds: readonly BindingHold[]) {
  const { surveyed } = plan;
  const isHeld = holds.some(
    (hold) => hold.release === null && (hold.session === null || isOn(hold, plan.session)),
  );
  return {
    date: at === null ? null : at.slice(0, 10),
    title,
    transcript: `data/${path}`,
    user_id: plan.user,
    session_id: plan.session,
    jobs: plan.jobs.size,
    jobs_in_session: surveyed.jobs,
    jobs_withheld: surveyed.withheld?.withheld ?? 0,
    ...surveyed.missing,
    history_read_to_end: HISTORY_WORDS[surveyed.history],
    at_the_service: serviceStatus(surveyed) ?? 'yes',
    on_hold: isHeld ? 'yes' : 'no',
  };
}

function isOn(hold: BindingHold, session: string): boolean {
  return hold.session !== null && heldForm(hold.session) === heldForm(session);
}

function holdLine(hold: BindingHold, user: string, sessions: readonly IndexedSession[]): string {
  const { reason, by, since, release } = hold;
  const subject = subjectOf(hold, user, sessions);
  const what = subject.slice(0, 1).toUpperCase() + subject.slice(1);
  const from = since.slice(0, 10);
  const period =
    release === null
      ? `is on hold since ${from}`
      : `was on hold from ${from} to ${release.at.slice(0, 10)}`;
  return `${what} ${period}: ${reason} (asked by ${by})${boundAsText(hold, user)}`;
}

function subjectOf(hold: BindingHold, user: string, sessions: readonly IndexedSession[]): string {
  if (hold.session === null) return `user ${heldAs(hold, user)}`;
  const held = sessions.find((indexed) => isOn(hold, indexed.plan.session));
  return `conversation ${held?.title ?? hold.session} of ${user}`;
}
