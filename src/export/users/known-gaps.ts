/** Which gaps of a user an earlier run could tell somebody of, and which the log says that somebody accepts. */
import type { UserEntry } from '../../archive/log/commit.js';
import { asSessionId } from '../../model/ids.js';
import { type Gap } from '../jobs/gap.js';
import { type UserState } from '../../archive/state/user-state.js';
import type { AcceptedGaps } from '../../archive/log/accepted-gaps.js';

type Place = Pick<
  Gap,
  'job' | 'role' | 'block_index' | 'file_index' | 'kind' | 'shared_with' | 'lost_below'
> & { readonly status: string };

export interface KnownBefore {
  /** The user as of the newest run that could tell somebody, and the user's entries of such runs. */
  readonly told: { readonly state: UserState; readonly listings: readonly UserEntry[] };
  /** Gaps that the log says are accepted. */
  readonly accepted: Pick<AcceptedGaps, 'find'>;
}

export class KnownGaps {
  readonly #state: UserState;
  readonly #listings: readonly UserEntry[];
  readonly #accepted: Pick<AcceptedGaps, 'find'>;
  readonly #keys = new Map<string, ReadonlySet<string>>();

  constructor({ told, accepted }: KnownBefore) {
    this.#state = told.state;
    this.#listings = told.listings;
    this.#accepted = accepted;
  }

  /** The gap, with `known` where the log had it, and with who accepts it. */
  marked(gap: Gap): Gap {
    const marked = this.#marked(gap);
    const { user, session } = gap;
    const by = session === null ? undefined : this.#accepted.find(user, session, gap)?.by;
    return by === undefined ? marked : { ...marked, accepted: true, accepted_by: by };
  }

  #marked(gap: Gap): Gap {
    const isKnown =
      gap.session === null ? this.#listings.some(isGap) : this.#keysOf(gap.session).has(keyOf(gap));
    return isKnown ? { ...gap, known: true } : gap;
  }

  #keysOf(session: string): ReadonlySet<string> {
    const found = this.#keys.get(session);
    if (found) return found;
    const gaps = this.#state.sessions.get(asSessionId(session))?.gaps ?? [];
    const keys = new Set(gaps.map(keyOf));
    this.#keys.set(session, keys);
    return keys;
  }
}

/** A file is missing at its place, for whatever reason; of a session, each status and each doubt is a gap of its own. */
function keyOf(gap: Place): string {
  const { job, role, block_index: block, file_index: file, kind, status } = gap;
  const { shared_with: other, lost_below: lost } = gap;
  const ofSession = role === null ? [status, other ?? null, lost ?? null] : null;
  return JSON.stringify([job, role, block, file, kind, ofSession]);
}

/** Sessions are missing according to this listing. */
function isGap({ error, complete, listed, total_items: total }: UserEntry): boolean {
  return error !== null || (!complete && (total === null || listed < total));
}
