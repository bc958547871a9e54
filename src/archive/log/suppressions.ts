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

/** One of the list, as of a commit. */
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

export class Suppressions {
  readonly #records = new Map<string, SuppressionRecord>();
  /** Those in force, by key, then by digest. */
  readonly #binding = new Map<string, Map<string, SuppressionRecord>>();
  /** Sessions that no export has archived again since: ids of the records, by key, then by digest. */
  readonly #away = new Map<string, Map<string, Set<string>>>();

  /** Those of users that are lifted, and of whom no export has archived anything since: by key, then by digest, then by id. */
  readonly #awaited = new Map<string, Map<string, Map<string, SuppressionRecord>>>();

  readonly #ended = new Map<number, number>();

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

  /** How many are in force. */
  get size(): number {
    return [...this.#binding.values()].reduce((sum, digests) => sum + digests.size, 0);
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
   * Numbers of the commits of which nothing that they suppress comes back unknown: exports skip their users, and the log
   * has the digests of their sessions.
   */
  get withKnownReturns(): ReadonlySet<number> {
    const isKnown = (record: SuppressionRecord): boolean =>
      record.subject === 'session' || isInForce(record);
    const unknown = this.records.filter((record) => !isKnown(record));
    const commits = new Set(this.records.map(({ commit }) => commit));
    for (const { commit } of unknown) commits.delete(commit);
    return commits;
  }

  /** How many of those that a commit has set are not in force any more. */
  endedOf(commit: number): number {
    return this.#ended.get(commit) ?? 0;
  }

  /** How often an export has archived a session again that a receipt had suppressed. */
  get returns(): number {
    return this.records.filter(
      ({ subject, back, reason }) => subject === 'session' && back && reason === undefined,
    ).length;
  }

  /** Those of a user, however spelt, that are lifted, and of whom no export has archived anything since. */
  awaited(user: string): readonly SuppressionRecord[] {
    return [...this.#awaited].flatMap(([key, digests]) => [
      ...(digests.get(keyedDigest(key, 'user', user))?.values() ?? []),
    ]);
  }

  /** How many of these sessions no receipt has suppressed again. */
  get returned(): number {
    const newest = new Map(
      this.records
        .filter(({ subject, reason }) => subject === 'session' && reason === undefined)
        .map((record) => [record.digest, record]),
    );
    return [...newest.values()].filter(({ back }) => back).length;
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
    const before = this.#records.get(record.id);
    this.#records.set(record.id, record);
    if (!isInForce(record) && (!before || isInForce(before))) {
      this.#ended.set(record.commit, this.endedOf(record.commit) + 1);
    }
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
