/** Which session has waited longest for a look, and what it costs to look at all. */
import type { UserId } from '../../model/ids.js';
import type { UserLooks } from './user-looks.js';
import type { UserState } from './user-state.js';

export interface LookStatus {
  /** Of the sessions that the service still has; null where no look is known. */
  readonly stalest: {
    readonly user: UserId;
    readonly session: string;
    /** ISO 8601; null where it was listed and not looked at yet. */
    readonly looked_at: string | null;
    /** ISO 8601: when it was first listed. */
    readonly listed_at: string;
  } | null;
  /** Sessions of which no look is noted: they are looked at first. */
  readonly unknown: number;
  /** A run over everything, where nothing is new: a page of sessions and one of each history. */
  readonly full_pass: { readonly requests: number; readonly duration_ms: number };
}

export interface Pace {
  /** Requests a second. */
  readonly rate: number;
  /** Sessions a page. */
  readonly pageSize: number;
}

export class LookSurvey {
  #stalest: { readonly sinceMs: number; readonly told: LookStatus['stalest'] } | undefined;
  #unknown = 0;
  #requests = 0;
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  add({ user, sessions }: UserState, looks: UserLooks | undefined): void {
    const left = [...sessions].filter(([, { deleted, goneAt }]) => !deleted && goneAt === null);
    // those that were listed and wait for their first look are in no state yet
    const ids = new Set([...left.map(([id]) => String(id)), ...(looks?.sessions.keys() ?? [])]);
    for (const session of ids) {
      const look = looks?.sessions.get(session);
      if (!look) {
        this.#unknown++;
        continue;
      }
      const { lookedAtMs, listedAtMs } = look;
      const sinceMs = lookedAtMs ?? listedAtMs;
      if (this.#stalest && this.#stalest.sinceMs <= sinceMs) continue;
      const told = {
        user,
        session,
        listed_at: new Date(listedAtMs).toISOString(),
        looked_at: lookedAtMs === null ? null : new Date(lookedAtMs).toISOString(),
      };
      this.#stalest = { sinceMs, told };
    }
    this.#requests += Math.max(1, Math.ceil(ids.size / this.#pace.pageSize)) + ids.size;
  }

  status(): LookStatus {
    const requests = this.#requests;
    const durationMs = Math.round((requests * 1000) / this.#pace.rate);
    return {
      stalest: this.#stalest?.told ?? null,
      unknown: this.#unknown,
      full_pass: { requests, duration_ms: durationMs },
    };
  }
}
