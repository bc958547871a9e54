/** The drills that the log tells of: the last one, and the last that found differences. */
import type { Commit, DrillEntry } from './commit.js';

/** What the log says of drills: when the archive was restored from itself, and with what outcome. */
export interface DrillRecord extends DrillEntry {
  /** When it ended; ISO 8601. */
  readonly at: string;
}

/** The drills of the log, in its order. @param index up to date @throws {IntegrityError} */
export async function listDrills({
  index,
  log,
}: {
  readonly index: {
    readonly commits: Iterable<{ readonly number: number; readonly kind: string }>;
  };
  readonly log: { read(number: number): Promise<Pick<Commit, 'created_at' | 'drill'>> };
}): Promise<DrillRecord[]> {
  const drills: DrillRecord[] = [];
  for (const { number, kind } of index.commits) {
    if (kind !== 'drill') continue;
    const { created_at: at, drill } = await log.read(number);
    if (drill) drills.push({ at, ...drill });
  }
  return drills;
}

export class DrillHistory {
  #last: DrillRecord | undefined;
  #failed: DrillRecord | undefined;

  constructor(known?: Pick<DrillHistory, 'last' | 'failed'>) {
    this.#last = known?.last;
    this.#failed = known?.failed;
  }

  get last(): DrillRecord | undefined {
    return this.#last;
  }

  /** The last one that found differences, unless one of all sessions has found none since: a sample restores others. */
  get failed(): DrillRecord | undefined {
    return this.#failed;
  }

  /** Adds a commit; they come in order. */
  add({ created_at: at, drill }: Pick<Commit, 'created_at' | 'drill'>): void {
    if (!drill) return;
    this.#last = { at, ...drill };
    if (drill.differences > 0) this.#failed = this.#last;
    else if (drill.sample === 1) this.#failed = undefined;
  }
}
