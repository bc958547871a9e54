/** Of places where objects can be retained, or hidden without being removed. */
export interface Guards {
  /** Whether a retention is possible here, and may be asked for. */
  canRetain(): Promise<boolean>;
  /** Undefined where there is none, or no object. */
  retentionOf(path: string): Promise<ObjectRetention | undefined>;
  /** Paths that begin with `prefix` and at which something was removed that can still be had back. */
  hidden(prefix: string): AsyncIterable<string>;
}

export interface ObjectRetention {
  /** `COMPLIANCE` or `GOVERNANCE`. */
  readonly mode: string;
  /** Until then nobody removes or alters it. Milliseconds since 1970 UTC. */
  readonly untilMs: number;
}
