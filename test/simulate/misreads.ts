/** A mis-keyed cache in front of the service: for a while it answers a session with the history of another one. */
import type { SimService, SimSession } from './sim-service.js';

const MINUTE_MS = 60_000;

interface Misread {
  readonly session: SimSession;
  /** The session whose history it is. */
  readonly source: SimSession;
  /** Records as they were when the cache took them. */
  readonly records: readonly string[];
  readonly untilMs: number;
}

export class Misreads {
  /** Past ones included. */
  readonly #all: Misread[] = [];

  constructor(readonly service: SimService) {}

  /**
   * One at a time: two sessions that are answered with each other's history share no job. The cache forgets a
   * history whose session is gone.
   *
   * @param isKnown whether the archive has jobs of the session: others cannot be compared with
   */
  begin(isKnown: (source: SimSession) => boolean): void {
    const { service } = this;
    const { scheduler } = service;
    const present = service.present();
    if (present.length < 2 || this.#current()) return;
    const session = scheduler.anyOf(present);
    const others = present.filter((other) => other !== session && isKnown(other));
    if (others.length === 0) return;
    const source = scheduler.anyOf(others);
    const records = service.history(source).map(({ record }) => record.now);
    const forMs = scheduler.anyOf([1, 10, 120]) * MINUTE_MS;
    this.#all.push({ session, source, records, untilMs: scheduler.nowMs() + forMs });
  }

  get wereAny(): boolean {
    return this.#all.length > 0;
  }

  /** The records that the cache answers with; undefined if it does not answer. */
  recordsFor(session: SimSession): readonly string[] | undefined {
    const misread = this.#current();
    return misread?.session === session ? misread.records : undefined;
  }

  end(): void {
    for (const [at, misread] of this.#all.entries()) {
      this.#all[at] = { ...misread, untilMs: -Infinity };
    }
  }

  /** Records that were shown in the session's history, and are another one's. */
  shownIn(session: SimSession): ReadonlySet<string> {
    const own = this.#all.filter((misread) => misread.session === session);
    return new Set(own.flatMap(({ records }) => records));
  }

  /** Whether a history of the session was shown as that of another one. */
  wasShown(session: SimSession): boolean {
    return this.#all.some(({ source }) => source === session);
  }

  /** Whether nothing can show any more that a session was answered with another history: that one is gone, or erased. */
  isHidden(session: SimSession, isErased: (source: SimSession) => boolean): boolean {
    return this.#all.some(
      (misread) =>
        misread.session === session &&
        (misread.source.gone !== undefined || isErased(misread.source)),
    );
  }

  #current(): Misread | undefined {
    const last = this.#all.at(-1);
    if (!last || last.source.gone || last.session.gone) return undefined;
    return this.service.scheduler.nowMs() < last.untilMs ? last : undefined;
  }
}
