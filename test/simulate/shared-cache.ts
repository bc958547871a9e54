/** A shared cache in front of the service: it keeps the answers to reads, and gives some of them again with their age. */
import type { Scheduler } from './scheduler.js';

export interface CachedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** An answer that is younger than a second has an age of 0, which says nothing. */
const LEAST_AGE_MS = 1000;

export class SharedCache {
  readonly #kept = new Map<string, { readonly answer: CachedAnswer; readonly atMs: number }>();

  /** @param rate fraction of the reads that it answers, if it can */
  constructor(
    readonly scheduler: Scheduler,
    public rate: number,
    /** Whether the text tells of a session that was erased: one that shows it again would bring it back. */
    readonly isErased: (text: string) => boolean,
  ) {}

  keep(url: string, answer: CachedAnswer): void {
    if (this.rate > 0) this.#kept.set(url, { answer, atMs: this.scheduler.nowMs() });
  }

  answerTo(url: string): CachedAnswer | undefined {
    if (this.rate === 0 || !this.scheduler.chance(this.rate)) return undefined;
    const kept = this.#kept.get(url);
    if (!kept) return undefined;
    const ageMs = this.scheduler.nowMs() - kept.atMs;
    if (ageMs < LEAST_AGE_MS || this.isErased(`${url} ${String(kept.answer.body)}`)) {
      return undefined;
    }
    const date = new Date(kept.atMs).toUTCString();
    const age = String(Math.floor(ageMs / 1000));
    return { ...kept.answer, headers: { ...kept.answer.headers, date, age } };
  }
}
