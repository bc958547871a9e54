/** Every request in the log, with what was done for it. */
import type { Commit, BegunErasure, RequestEntry } from './commit.js';
import type { SinceReceipt } from './suppressions.js';
import { ERASED } from '../../model/ids.js';

type Of<Action extends RequestEntry['action']> = Extract<RequestEntry, { readonly action: Action }>;

interface Noted {
  /** ISO 8601 */
  readonly at: string;
}

/** A search that was made for a request. */
export type RequestSearch = Of<'search'> & Noted;

/** An evidence pack that was made for a request. */
export type RequestPack = Of<'pack'> & Noted;

/** What was decided about a conversation or a question of what is made for a request. */
export type RequestDecision = Of<'decide'> & Noted;

/** An erasure for a request: how much, never what. */
export interface RequestErasure extends Noted {
  /** Id of the receipt. */
  readonly receipt: string;
  /** Number of the commit that is the receipt. */
  readonly commit: number;
  /** The person who did it; absent where the receipt names nobody. */
  readonly by?: string | undefined;
  readonly sessions: number;
  readonly jobs: number;
  /** Tables and images. */
  readonly artifacts: number;
  /** What was kept, because it is on hold; absent where nothing was. */
  readonly held?: BegunErasure['held'];
  /** What was kept, because somebody else lists it, too; absent where nothing was. */
  readonly shared?: BegunErasure['shared'];
  /** How many users and sessions exports skip since it; absent where they skip nothing of it. */
  readonly suppressed?: BegunErasure['suppressed'];
  /** What has become of these; absent in a snapshot, like what follows. */
  readonly state?: SinceReceipt['state'];
  readonly suppression_ended?: SinceReceipt['suppression_ended'];
  readonly suppressed_again?: SinceReceipt['suppressed_again'];
  /** How many of the erased sessions the service still had when it was asked last; absent of none. */
  readonly at_service?: number;
  /** Sessions that stayed though they had jobs of what was erased, and those jobs; absent where there are none. */
  readonly still_there?: BegunErasure['still_there'];
  /** How many texts of people in the log became `[erased]` with it; absent of none. */
  readonly texts?: number;
}

/** What somebody asked for (whom it is about, which words, which period), and what was done for it. */
export type RequestRecord = Of<'new'> & {
  /** When it was recorded; ISO 8601. */
  readonly since: string;
  /** Number of the commit that recorded it. */
  readonly commit: number;
  readonly searches: readonly RequestSearch[];
  readonly packs: readonly RequestPack[];
  /** In the order in which they were made. */
  readonly decisions: readonly RequestDecision[];
  /** Absent where there is none. */
  readonly erasures?: readonly RequestErasure[];
  /** Null while it is open. */
  readonly closed: (Of<'close'> & Noted & { readonly commit: number }) | null;
};

/** What a request is called: `[erased]` and its id where an erasure has taken the name, so that each has a name of its own. */
export function requestName({ id, name }: Of<'new'>): string {
  return name === ERASED ? `${ERASED} ${id}` : name;
}

const NOTHING_DONE = { searches: [], packs: [], decisions: [], closed: null } as const;

export class RequestHistory {
  readonly #records = new Map<string, RequestRecord>();

  constructor(records: Iterable<RequestRecord> = []) {
    for (const record of records) this.#records.set(record.id, record);
  }

  /** In the order in which they came. */
  get records(): readonly RequestRecord[] {
    return [...this.#records.values()];
  }

  /** Adds a commit; they come in order. A second end of the same request changes nothing. */
  add({ number: commit, created_at: at, requests = [], erasure }: Commit): void {
    if (erasure?.stage === 'begun') this.#addReceipt(erasure, { at, commit });
    for (const entry of requests) {
      if (entry.action === 'new') {
        const record = { ...entry, since: at, commit, ...NOTHING_DONE };
        this.#records.set(entry.id, record);
        continue;
      }
      const known = this.#records.get(entry.id);
      if (known)
        this.#records.set(entry.id, { ...known, ...changeBy(entry, known, { at, commit }) });
    }
  }

  #addReceipt(
    {
      id,
      request,
      erased,
      held,
      shared,
      suppressed,
      at_service,
      still_there,
      texts,
      by,
    }: BegunErasure,
    noted: Pick<RequestErasure, 'at' | 'commit'>,
  ) {
    const known = request === undefined ? undefined : this.#records.get(request);
    if (!known) return;
    const { sessions, jobs, artifacts } = erased;
    const who = by === undefined ? {} : { by };
    const kept = {
      ...(held && { held }),
      ...(shared && { shared }),
      ...(suppressed && { suppressed }),
      ...(at_service !== undefined && { at_service }),
      ...(still_there && { still_there }),
      ...(texts !== undefined && { texts }),
    };
    const erasure = { receipt: id, ...noted, ...who, sessions, jobs, artifacts, ...kept };
    this.#records.set(known.id, { ...known, erasures: [...(known.erasures ?? []), erasure] });
  }
}

function changeBy(
  entry: Exclude<RequestEntry, { readonly action: 'new' }>,
  { searches, packs, decisions, closed }: RequestRecord,
  { at, commit }: Noted & { readonly commit: number },
): Partial<RequestRecord> {
  if (entry.action === 'search') return { searches: [...searches, { ...entry, at }] };
  if (entry.action === 'pack') return { packs: [...packs, { ...entry, at }] };
  if (entry.action === 'decide') return { decisions: [...decisions, { ...entry, at }] };
  return { closed: closed ?? { ...entry, at, commit } };
}
