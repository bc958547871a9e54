/**
 * Whom exports skip: a person or a session that was erased and is not to come back. The log has a keyed digest of each and
 * no name: it says whether a name that somebody has already is on the list.
 */
import type { Commit, SuppressionEntry } from './commit.js';
import { keyedDigest } from './keyed-digest.js';

type Added = Extract<SuppressionEntry, { readonly action: 'add' }>;
type Lifted = Extract<SuppressionEntry, { readonly action: 'lift' }>;

/** One of the list, as of a commit. */
export interface SuppressionRecord extends Omit<Added, 'action'> {
  /** When it was set; ISO 8601. */
  readonly since: string;
  /** Number of the commit that set it. */
  readonly commit: number;
  /** Null while it is in force. */
  readonly lifted:
    (Omit<Lifted, 'action' | 'id'> & { readonly at: string; readonly commit: number }) | null;
}

export class Suppressions {
  readonly #records = new Map<string, SuppressionRecord>();
  /** Those in force, by key, then by digest. */
  readonly #binding = new Map<string, Map<string, SuppressionRecord>>();

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
      if (known?.lifted !== null) continue;
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

  /** Whether exports skip all that a receipt suppresses. @param receipt number of its commit */
  areSkipped(receipt: number): boolean {
    const ofReceipt = this.records.filter(({ commit }) => commit === receipt);
    return ofReceipt.length > 0 && ofReceipt.every(({ lifted }) => lifted === null);
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
    if (record.subject === 'session' && record.reason === undefined) {
      const erased = this.#erased.get(record.key) ?? new Set();
      this.#erased.set(record.key, erased.add(record.digest));
    }
    const digests = this.#binding.get(record.key) ?? new Map<string, SuppressionRecord>();
    if (record.lifted === null) digests.set(record.digest, record);
    else digests.delete(record.digest);
    if (digests.size > 0) this.#binding.set(record.key, digests);
    else this.#binding.delete(record.key);
  }
}
