/**
 * Whom exports skip: a person or a session that was erased and is not to come back. The log has a keyed digest of each and
 * no name: it says whether a name that somebody has already is on the list.
 */
import type { Commit, SessionEntry, SuppressionEntry } from './commit.js';
import { keyedDigest } from './keyed-digest.js';
import { isArchived } from '../state/archived-session.js';

type Added = Extract<SuppressionEntry, { readonly action: 'add' }>;
type Lifted = Extract<SuppressionEntry, { readonly action: 'lift' }>;
type Back = Extract<SuppressionEntry, { readonly action: 'back' }>;

/** A suppression of the list, as of a commit. */
export interface SuppressionRecord extends Omit<Added, 'action'> {
  /** When it was set; ISO 8601. */
  readonly since: string;
  /** Number of the commit that set it. */
  readonly commit: number;
  /** Null while nobody has ended it. */
  readonly lifted: (Omit<Lifted, 'action' | 'id'> & Noted) | null;
  /** When an export has archived the session again, which ends it, too, or, since it was lifted, something of the user; absent while none has. */
  readonly back?: Noted;
}

interface Noted {
  /** ISO 8601 */
  readonly at: string;
  readonly commit: number;
}

/** Whether exports skip whom it names. */
export function isInForce({ lifted, back }: SuppressionRecord): boolean {
  return lifted === null && back === undefined;
}

/** Since when, behind `exports skip user "ada"`. */
export function sinceWhat({ reason }: Pick<SuppressionRecord, 'reason'>): string {
  return reason === undefined
    ? 'since an erasure (erase --suppress)'
    : 'since somebody decided so (erase --suppress-only)';
}

/** What is known of somebody who was erased, whichever of several receipts and notes says it: the newest counts. */
export type ErasedState = 'suppressed' | 'lifted' | 'back';

/** The worst first. */
const STATES = ['back', 'lifted', 'suppressed'] as const satisfies readonly ErasedState[];

/** What has become of whom a receipt suppresses. */
export interface SinceReceipt {
  /** The worst of these; "lifted" of a receipt that suppresses nothing: exports archive again what the service still has. */
  readonly state: ErasedState;
  /** How many of these exports skip no more, by whatever commit they were set last; null of none. */
  readonly suppression_ended: { readonly users: number; readonly sessions: number } | null;
  /** Number of the newest commit that has set one of them again after that had ended; null of none, or where it has ended since. */
  readonly suppressed_again: number | null;
}

interface Ends {
  readonly lifted: Pick<Noted, 'commit'> | null;
  readonly back?: Pick<Noted, 'commit'> | null;
}

/** Number of the commit that has ended it; undefined while none has. */
export function endOf({ lifted, back }: Ends): number | undefined {
  return lifted?.commit ?? back?.commit;
}

export class Suppressions {
  readonly #records = new Map<string, SuppressionRecord>();
  /** Ids of the records of one subject, in the order in which they were set; by digest. */
  readonly #ofDigest = new Map<string, Set<string>>();
  /** Ids of the records that a commit has set. */
  readonly #ofCommit = new Map<number, Set<string>>();
  /** Suppressions in force, by key, then by digest. */
  readonly #binding = new Map<string, Map<string, SuppressionRecord>>();
  /** Sessions that no export has archived again since: ids of the records, by key, then by digest. */
  readonly #away = new Map<string, Map<string, Set<string>>>();

  /** Suppressions of users that are lifted, and of whom no export has archived anything since: by key, then by digest, then by id. */
  readonly #awaited = new Map<string, Map<string, Map<string, SuppressionRecord>>>();

  constructor(records: Iterable<SuppressionRecord> = []) {
    for (const record of records) this.#set(record);
  }

  /** Digests of sessions that came with a receipt, also of those that exports skip no more; by key. */
  readonly #erased = new Map<string, Set<string>>();

  /** In the order in which they were set. */
  get records(): readonly SuppressionRecord[] {
    return [...this.#records.values()];
  }

  /** The key of those that there are; undefined before the first. */
  get key(): string | undefined {
    return this.records[0]?.key;
  }

  /** Adds a commit; they come in order. */
  add({ number, created_at: at, suppressions = [] }: Commit): void {
    for (const entry of suppressions) {
      if (entry.action === 'add') {
        const { id, subject, key, digest, reason, by } = entry;
        const who = { ...(reason !== undefined && { reason }), ...(by !== undefined && { by }) };
        this.#set({ id, subject, key, digest, ...who, since: at, commit: number, lifted: null });
        continue;
      }
      const known = this.#records.get(entry.id);
      if (entry.action === 'back') {
        if (known && !known.back) this.#set({ ...known, back: { at, commit: number } });
        continue;
      }
      if (!known || !isInForce(known)) continue;
      const { reason, by } = entry;
      this.#set({ ...known, lifted: { reason, by, at, commit: number } });
    }
  }

  /** However the user is spelt. */
  ofUser(user: string): SuppressionRecord | undefined {
    return this.#find('user', user);
  }

  ofSession(session: string): SuppressionRecord | undefined {
    return this.#find('session', session);
  }

  /** Whether a receipt has this session: it was erased, so that it is back where it is archived again. */
  wasErased(session: string): boolean {
    return [...this.#erased].some(([key, digests]) => {
      return digests.has(keyedDigest(key, 'session', session));
    });
  }

  /**
   * Numbers of the commits of which nothing that they suppress comes back unknown: exports skip their users, or have archived
   * nothing of them since, and the log has the digests of their sessions.
   */
  get withKnownReturns(): ReadonlySet<number> {
    const isKnown = (record: SuppressionRecord): boolean =>
      record.subject === 'session' || (!record.back && this.stateOf(record) === 'suppressed');
    const unknown = this.records.filter((record) => !isKnown(record));
    const commits = new Set(this.records.map(({ commit }) => commit));
    for (const { commit } of unknown) commits.delete(commit);
    return commits;
  }

  /** The state of a record's subject, whatever has set it last. */
  stateOf(record: SuppressionRecord): ErasedState {
    const newest = this.sameAs(record).at(-1) ?? record;
    if (isInForce(newest)) return 'suppressed';
    return newest.back ? 'back' : 'lifted';
  }

  /** All suppressions of the same subject, in the order in which they were set. */
  sameAs({ digest }: SuppressionRecord): readonly SuppressionRecord[] {
    return this.#those(this.#ofDigest.get(digest));
  }

  /** Number of the commit that has set the subject of a record again after that had ended; undefined while none has. */
  setAgain(record: SuppressionRecord): number | undefined {
    const ended = endOf(record);
    if (ended === undefined) return undefined;
    return this.sameAs(record).find(({ commit }) => commit > ended)?.commit;
  }

  /** What has become of those whom a commit has set. */
  sinceCommit(commit: number): SinceReceipt {
    const set = this.#those(this.#ofCommit.get(commit));
    const states = new Set(set.map((record) => this.stateOf(record)));
    const state = STATES.find((one) => states.has(one)) ?? 'lifted';
    const ended = set.filter((record) => this.stateOf(record) !== 'suppressed');
    const count = (which: Added['subject']): number =>
      ended.filter(({ subject }) => subject === which).length;
    if (ended.length > 0) {
      const counts = { users: count('user'), sessions: count('session') };
      return { state, suppression_ended: counts, suppressed_again: null };
    }
    const again = set.flatMap((record) => this.setAgain(record) ?? []);
    return {
      state,
      suppression_ended: null,
      suppressed_again: again.length > 0 ? Math.max(...again) : null,
    };
  }

  /** How often an export has archived a session again that a receipt had suppressed. */
  get returns(): number {
    return this.records.filter(
      ({ subject, back, reason }) => subject === 'session' && back && reason === undefined,
    ).length;
  }

  /** Suppressions of a user, however spelt, that are lifted, and of whom no export has archived anything since. */
  awaited(user: string): readonly SuppressionRecord[] {
    return [...this.#awaited].flatMap(([key, digests]) => [
      ...(digests.get(keyedDigest(key, 'user', user))?.values() ?? []),
    ]);
  }

  /** How many sessions that a receipt had suppressed are archived again, as far as nothing has suppressed them since. */
  get returned(): number {
    const erased = this.records.filter(
      (record) =>
        record.subject === 'session' &&
        record.reason === undefined &&
        this.stateOf(record) === 'back',
    );
    return new Set(erased.map(({ digest }) => digest)).size;
  }

  /** What the commit of an export says of the sessions in it: which of them, and of which users who were lifted, it archives again. */
  backWith(
    entries: readonly Pick<SessionEntry, 'user' | 'session' | 'version' | 'archived'>[],
  ): readonly Back[] {
    const ids = new Set<string>();
    const users = new Set(entries.filter(isArchived).map(({ user }) => user));
    for (const user of users) for (const { id } of this.awaited(user)) ids.add(id);
    for (const [key, away] of this.#away) {
      for (const entry of entries) {
        if (!isArchived(entry)) continue;
        for (const id of away.get(keyedDigest(key, 'session', entry.session)) ?? []) ids.add(id);
      }
    }
    return [...ids].map((id) => ({ action: 'back', id }));
  }

  #find(subject: Added['subject'], id: string): SuppressionRecord | undefined {
    for (const [key, digests] of this.#binding) {
      const found = digests.get(keyedDigest(key, subject, id));
      if (found) return found;
    }
    return undefined;
  }

  #set(record: SuppressionRecord): void {
    this.#records.set(record.id, record);
    addTo(this.#ofDigest, record.digest, record.id);
    addTo(this.#ofCommit, record.commit, record.id);
    if (record.subject === 'session' && record.reason === undefined) {
      const erased = this.#erased.get(record.key) ?? new Set();
      this.#erased.set(record.key, erased.add(record.digest));
    }
    const digests = this.#binding.get(record.key) ?? new Map<string, SuppressionRecord>();
    if (isInForce(record)) digests.set(record.digest, record);
    else if (digests.get(record.digest)?.id === record.id) digests.delete(record.digest);
    if (digests.size > 0) this.#binding.set(record.key, digests);
    else this.#binding.delete(record.key);
    if (record.subject === 'session') this.#setAway(record);
    else this.#setAwaited(record);
  }

  #those(ids: Iterable<string> = []): readonly SuppressionRecord[] {
    return [...ids].flatMap((id) => this.#records.get(id) ?? []);
  }

  #setAwaited(record: SuppressionRecord): void {
    const { id, key, digest, lifted, back } = record;
    const digests = this.#awaited.get(key) ?? new Map<string, Map<string, SuppressionRecord>>();
    const records = digests.get(digest) ?? new Map<string, SuppressionRecord>();
    if (lifted !== null && !back) records.set(id, record);
    else records.delete(id);
    this.#awaited.set(key, digests.set(digest, records));
  }

  #setAway({ id, key, digest, back }: SuppressionRecord): void {
    const digests = this.#away.get(key) ?? new Map<string, Set<string>>();
    const ids = digests.get(digest) ?? new Set();
    if (back) ids.delete(id);
    else ids.add(id);
    if (ids.size > 0) digests.set(digest, ids);
    else digests.delete(digest);
    if (digests.size > 0) this.#away.set(key, digests);
    else this.#away.delete(key);
  }
}

function addTo<Key>(groups: Map<Key, Set<string>>, key: Key, id: string): void {
  groups.set(key, (groups.get(key) ?? new Set()).add(id));
}
