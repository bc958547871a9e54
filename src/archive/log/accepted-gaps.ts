/** The gaps of sessions that somebody has seen and accepts, as of a commit (I-51 in FORMAT.md). */
import { sessionKey } from '../../model/ids.js';
import type { AcceptedEntry, Commit, GapEntry } from './commit.js';

export interface AcceptedGap extends AcceptedEntry {
  /** When it was accepted; ISO 8601. */
  readonly at: string;
  /** Number of the commit that says so. */
  readonly commit: number;
}

/** What tells a gap from others of its session: the job, the place in it, what went wrong, and what a doubt rests on. */
interface GapPlace extends Pick<
  GapEntry,
  'role' | 'block_index' | 'file_index' | 'kind' | 'status'
> {
  readonly job: string | null;
  readonly shared_with?: string | undefined;
  readonly missing_jobs?: readonly string[] | undefined;
}

export class AcceptedGaps {
  readonly #sessions = new Map<string, Map<string, AcceptedGap>>();

  constructor(records: Iterable<AcceptedGap> = []) {
    for (const record of records) this.#set(record);
  }

  /** Those in force, by session, in the order in which they were accepted. */
  get records(): readonly AcceptedGap[] {
    return [...this.#sessions.values()].flatMap((gaps) => [...gaps.values()]);
  }

  /** Adds a commit; they come in order. What is accepted lapses as soon as its session does not have the gap. */
  add({ number, created_at: at, sessions, accepted = [] }: Commit): void {
    for (const { user, session, gaps } of sessions) {
      const known = this.#sessions.get(sessionKey(user, session));
      if (!known) continue;
      const left = new Set(gaps.map(placeKey));
      for (const key of known.keys()) if (!left.has(key)) known.delete(key);
    }
    for (const entry of accepted) {
      if (entry.action === 'accept') this.#set({ ...entry, at, commit: number });
      else if (this.of(entry.user, entry.session, entry)?.id === entry.id) {
        this.#sessions.get(sessionKey(entry.user, entry.session))?.delete(placeKey(entry));
      }
    }
  }

  /** Undefined if nobody has accepted the gap. */
  of(user: string, session: string, gap: GapPlace): AcceptedGap | undefined {
    return this.#sessions.get(sessionKey(user, session))?.get(placeKey(gap));
  }

  #set(record: AcceptedGap): void {
    const key = sessionKey(record.user, record.session);
    const known = this.#sessions.get(key) ?? new Map<string, AcceptedGap>();
    this.#sessions.set(key, known.set(placeKey(record), record));
  }
}

function placeKey(gap: GapPlace): string {
  const { job, role, block_index: block, file_index: file, kind, status } = gap;
  const { shared_with: other = null, missing_jobs: missing = null } = gap;
  return JSON.stringify([job, role, block, file, kind, status, other, missing]);
}
