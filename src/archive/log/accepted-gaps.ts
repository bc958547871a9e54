/** What people accept: gaps of sessions, and images that are what they should be. */
import { countedGaps, type GapCounts } from '../../model/gap-counts.js';
import { rowId } from '../../model/ids.js';
import { keyOfAnySpelling } from '../../model/user-spelling.js';
import type {
  Commit,
  AcceptedEntry,
  AcceptedImageEntry,
  SessionEntry,
  GapEntry,
} from './commit.js';

/** The gaps of sessions that somebody has seen and accepts, as of a commit (I-51 in FORMAT.md). */
export interface AcceptedGap extends AcceptedEntry {
  /** When it was accepted; ISO 8601. */
  readonly at: string;
  /** Number of the commit that says so. */
  readonly commit: number;
}

/** An image that is accepted for what it is, as of a commit (I-51 in FORMAT.md). */
export interface AcceptedImage extends AcceptedImageEntry {
  /** When it was accepted; ISO 8601. */
  readonly at: string;
  /** Number of the commit that says so. */
  readonly commit: number;
}

/** What tells a gap from others of its session: the job, the place in it, what went wrong, and what a doubt rests on. */
export interface GapPlace extends Pick<
  GapEntry,
  'role' | 'block_index' | 'file_index' | 'kind' | 'status'
> {
  readonly job: string | null;
  readonly shared_with?: string | undefined;
  readonly lost_below?: number | undefined;
}

/** What is accepted of one session: by what tells a gap from others, and by the spelling of the user under which it was. */
type AcceptedOfSession = Map<string, Map<string, AcceptedGap>>;

/** A session that several spellings of a user list is one: what is accepted of it under one of them is accepted under each. */
export class AcceptedGaps {
  readonly #sessions = new Map<string, AcceptedOfSession>();
  /** By SHA-256. */
  readonly #images = new Map<string, AcceptedImage>();

  constructor(records: Iterable<AcceptedGap> = [], images: Iterable<AcceptedImage> = []) {
    for (const record of records) this.#set(record);
    for (const record of images) this.#images.set(record.sha256, record);
  }

  /** Images that are accepted, in the order in which they were. */
  get images(): readonly AcceptedImage[] {
    return [...this.#images.values()];
  }

  /** Undefined if nobody has accepted it. */
  image(sha256: string): AcceptedImage | undefined {
    return this.#images.get(sha256);
  }

  /** The accepted gaps in force, by session, in the order in which they were accepted. */
  get records(): readonly AcceptedGap[] {
    return [...this.#sessions.values()].flatMap((gaps) =>
      [...gaps.values()].flatMap((spellings) => [...spellings.values()]),
    );
  }

  /**
   * Adds a commit; they come in order. What is accepted lapses as soon as its session does not have the gap, or lacks more
   * jobs than were lacking when it was accepted.
   */
  add({
    number,
    created_at: at,
    sessions,
    accepted = [],
    accepted_images: images = [],
  }: Commit): void {
    for (const entry of images) this.#addImage({ ...entry, at, commit: number });
    for (const entry of sessions) {
      const known = this.#sessions.get(keyOfAnySpelling(entry.user, entry.session));
      if (!known) continue;
      const openKeys = new Set(entry.gaps.map(placeKey));
      const lacking = jobsLacking(entry) ?? 0;
      for (const [key, spellings] of known) {
        const { lacking: most = lacking } = spellings.get(rowId(entry.user)) ?? {};
        if (!openKeys.has(key) || lacking > most) spellings.delete(rowId(entry.user));
      }
    }
    for (const entry of accepted) {
      if (entry.action === 'accept') this.#set({ ...entry, at, commit: number });
      else {
        const spellings = this.#spellingsOf(entry.user, entry.session, entry);
        const own = rowId(entry.user);
        if (spellings.get(own)?.id === entry.id) spellings.delete(own);
      }
    }
  }

  /** Undefined if nobody has accepted the gap. */
  find(user: string, session: string, gap: GapPlace): AcceptedGap | undefined {
    const spellings = this.#spellingsOf(user, session, gap);
    return spellings.get(rowId(user)) ?? spellings.values().next().value;
  }

  /** How many gaps of a session there are of each sort. */
  count(user: string, session: string, gaps: readonly GapPlace[]): GapCounts {
    return countedGaps(gaps, (gap) => this.find(user, session, gap) !== undefined);
  }

  #addImage(record: AcceptedImage): void {
    if (record.action === 'accept') this.#images.set(record.sha256, record);
    else if (this.#images.get(record.sha256)?.id === record.id) {
      this.#images.delete(record.sha256);
    }
  }

  #set(record: AcceptedGap): void {
    const key = keyOfAnySpelling(record.user, record.session);
    const known = this.#sessions.get(key) ?? new Map<string, Map<string, AcceptedGap>>();
    const spellings = known.get(placeKey(record)) ?? new Map<string, AcceptedGap>();
    this.#sessions.set(key, known.set(placeKey(record), spellings.set(rowId(record.user), record)));
  }

  #spellingsOf(user: string, session: string, gap: GapPlace): Map<string, AcceptedGap> {
    return (
      this.#sessions.get(keyOfAnySpelling(user, session))?.get(placeKey(gap)) ??
      new Map<string, AcceptedGap>()
    );
  }
}

/** How many jobs a history has that are not archived, as far as the service says how many it has. */
export function jobsLacking({
  total,
  archived,
}: Pick<SessionEntry, 'total' | 'archived'>): number | undefined {
  return total === null ? undefined : Math.max(0, total - archived);
}

function placeKey(gap: GapPlace): string {
  const { job, role, block_index: block, file_index: file, kind } = gap;
  // a file is lost at its place, for whatever reason; one that may no longer be the service's is another matter
  const status = role === null || gap.status === 'doubtful' ? gap.status : 'lost';
  const { shared_with: other = null, lost_below: lost = null } = gap;
  return JSON.stringify([job, role, block, file, kind, status, other, lost]);
}
