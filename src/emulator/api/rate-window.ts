/** Limits the requests in any window of one second. */
export class RateWindow {
  readonly #admitted: number[] = [];

  /** `perSecond` of 0 admits everything. */
  constructor(readonly perSecond: number) {}

  /** 0 when the request is admitted, otherwise the milliseconds until the next one would be. */
  admit(nowMs: number): number {
    if (this.perSecond === 0) return 0;
    while ((this.#admitted[0] ?? Infinity) <= nowMs - 1000) this.#admitted.shift();
    const oldest = this.#admitted[0];
    if (oldest !== undefined && this.#admitted.length >= this.perSecond)
      return oldest + 1000 - nowMs;
    this.#admitted.push(nowMs);
    return 0;
  }
}
