/** What people note in the log: holds, requests, accepted gaps and the outcomes of drills, each as of a commit. */
import { type SessionId, type UserId } from '../../model/ids.js';
import type { Commit } from './commit.js';

/** A hold on a user or on a session: one of the two ids is null. */
export interface HoldRecord {
  /** A ULID. */
  readonly id: string;
  readonly user: UserId | null;
  readonly session: SessionId | null;
  readonly reason: string;
  /** Who asked for it. */
  readonly by: string;
  /** Who set it; absent where the log does not say it beside who asked. */
  readonly set_by?: string | undefined;
  /** The id of the request for which it was set; null of none. */
  readonly request: string | null;
  /** When it was set; ISO 8601. */
  readonly since: string;
  /** Number of the commit that set it. */
  readonly commit: number;
  /** Null while it binds. */
  readonly release: {
    readonly at: string;
    readonly by: string;
    readonly reason: string;
    readonly commit: number;
  } | null;
}

export class HoldHistory {
  readonly #records = new Map<string, HoldRecord>();

  constructor(records: Iterable<HoldRecord> = []) {
    for (const record of records) this.#records.set(record.id, record);
  }

  /** In the order in which they were set. */
  get records(): readonly HoldRecord[] {
    return [...this.#records.values()];
  }

  /** Adds a commit; they come in order. A second release of the same hold changes nothing. */
  add({ number, created_at: at, holds = [] }: Commit): void {
    for (const entry of holds) {
      const { id, reason, by } = entry;
      if (entry.action === 'add') {
        const { user, session, request = null, set_by } = entry;
        const setter = set_by === undefined ? {} : { set_by };
        const asked = { id, user, session, reason, by, ...setter, request };
        const set = { ...asked, since: at, commit: number };
        this.#records.set(id, { ...set, release: null });
        continue;
      }
      const record = this.#records.get(id);
      if (record?.release !== null) continue;
      this.#records.set(id, { ...record, release: { at, by, reason, commit: number } });
    }
  }
}
