/**
 * A mis-keyed cache in front of the service: for a while it answers a session with the history of another one, two
 * sessions with each other's, or a session with none.
 */
import type { SimService, SimSession } from './sim-service.js';

const MINUTE_MS = 60_000;

/** `another`: one session has the history of another one; `swapped`: each of two that of the other. */
export type MisreadKind = 'another' | 'swapped' | 'empty';

interface Misread {
  readonly session: SimSession;
  /** The session whose history it is; undefined: of none. */
  readonly source: SimSession | undefined;
  /** Records as they were when the cache took them. */
  readonly records: readonly string[];
  untilMs: number;
  /** When it has answered last, in `SimService.time`. */
  answeredAt: number;
}

export class Misreads {
  /** Past ones included. */
  readonly #all: Misread[] = [];

  constructor(readonly service: SimService) {}

  /**
   * One at a time. The cache forgets a history whose session is gone.
   *
   * @param isKnown whether the archive has jobs of the session: others cannot be compared with, and where it has none
   *   of a session, nothing shows that an empty history, or that of a session which is answered with this one's, is
   *   not the session's own
   */
  begin(kind: MisreadKind, isKnown: (source: SimSession) => boolean): void {
    const { scheduler } = this.service;
    const present = this.service.present();
    if (this.#current().length > 0) return;
    const sessions = kind === 'another' ? present : present.filter(isKnown);
    if (sessions.length === 0) return;
    const session = scheduler.anyOf(sessions);
    const others = present.filter((other) => other !== session && isKnown(other));
    if (others.length === 0 && kind !== 'empty') return;
    const source = kind === 'empty' ? undefined : scheduler.anyOf(others);
    const untilMs = scheduler.nowMs() + scheduler.anyOf([1, 10, 120]) * MINUTE_MS;
    this.#add(session, source, untilMs);
    if (kind === 'swapped' && source) this.#add(source, session, untilMs);
  }

  /** Records are as they are when the cache takes them. */
  #add(session: SimSession, source: SimSession | undefined, untilMs: number): void {
    const history = source ? this.service.history(source) : [];
    const records = history.map(({ record }) => record.now);
    this.#all.push({ session, source, records, untilMs, answeredAt: -1 });
  }

  get wereAny(): boolean {
    return this.#all.length > 0;
  }

  /** The records that the cache answers with; undefined if it does not answer. */
  recordsFor(session: SimSession): readonly string[] | undefined {
    const misread = this.#current().find((one) => one.session === session);
    if (misread) misread.answeredAt = this.service.time;
    return misread?.records;
  }

  /** Whether the session was answered with another history since then. @param time in `SimService.time` */
  hasAnswered(session: SimSession, time: number): boolean {
    return this.#all.some((one) => one.session === session && one.answeredAt >= time);
  }

  end(): void {
    for (const misread of this.#all) misread.untilMs = -Infinity;
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
        misread.source !== undefined &&
        (misread.source.gone !== undefined || isErased(misread.source)),
    );
  }

  #current(): Misread[] {
    const nowMs = this.service.scheduler.nowMs();
    return this.#all.filter(
      ({ session, source, untilMs }) => nowMs < untilMs && !session.gone && !source?.gone,
    );
  }
}
