/** Measures what a run waits for: the time that its parts spent waiting in the last seconds, by cause. */
import type { Clock } from '../../../base/clock.js';
import type { SpanName, Tracer } from '../../../base/tracer.js';

/** What a part waits for during such a span. Other spans are the run's own work, or contain these. */
const CAUSES = {
  pace: 'the rate limit',
  request: 'the service',
  backoff: 'the service, to try again',
  download: 'downloads',
  save: 'the disk',
  lease: 'another run',
} as const satisfies Partial<Record<SpanName, string>>;

export type Cause = (typeof CAUSES)[keyof typeof CAUSES];

const WINDOW_MS = 5_000;
/** A cause is shown from this share of the time on. */
const LEAST_SHARE = 0.2;

interface Sample {
  readonly atMs: number;
  readonly waited: ReadonlyMap<Cause, number>;
}

export class WaitingMeter {
  readonly #clock: Clock;
  readonly #active = new Map<Cause, number>();
  readonly #waitedMs = new Map<Cause, number>();
  #countedMs: number;
  #samples: Sample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.monotonic();
  }

  readonly tracer: Tracer = {
    span: async (name, _fields, work) => {
      const cause = name in CAUSES ? CAUSES[name as keyof typeof CAUSES] : undefined;
      if (cause === undefined) return work(() => undefined);
      this.#change(cause, 1);
      try {
        return await work(() => undefined);
      } finally {
        this.#change(cause, -1);
      }
    },
  };

  /** The main cause of waiting in the last five seconds; undefined where little time was spent waiting. */
  main(): Cause | undefined {
    this.#count();
    const nowMs = this.#countedMs;
    const recent = this.#samples.filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
    const since = recent[0] ?? { atMs: nowMs, waited: new Map<Cause, number>() };
    this.#samples = recent;
    // two samples a second are enough for a display
    if (nowMs - (recent.at(-1)?.atMs ?? -Infinity) >= 500) {
      this.#samples.push({ atMs: nowMs, waited: new Map(this.#waitedMs) });
    }
    const spanMs = nowMs - since.atMs;
    const [first] = [...this.#waitedMs]
      .map(([cause, ms]) => ({ cause, ms: ms - (since.waited.get(cause) ?? 0) }))
      .sort((a, b) => b.ms - a.ms);
    return first && spanMs > 0 && first.ms / spanMs >= LEAST_SHARE ? first.cause : undefined;
  }

  #change(cause: Cause, by: number): void {
    this.#count();
    this.#active.set(cause, (this.#active.get(cause) ?? 0) + by);
  }

  #count(): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = nowMs - this.#countedMs;
    this.#countedMs = nowMs;
    for (const [cause, parts] of this.#active) {
      this.#waitedMs.set(cause, (this.#waitedMs.get(cause) ?? 0) + parts * passedMs);
    }
  }
}
