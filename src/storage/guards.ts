/** Retention and delete markers, in storages that have them. */
export interface Guards {
  /** Whether a retention is possible here, and may be asked for. */
  canRetain(): Promise<boolean>;
  /** Undefined where there is none, or no object. */
  retentionOf(path: string): Promise<ObjectRetention | undefined>;
  /** Paths that begin with `prefix` and whose object is hidden by a delete marker, so that it can be restored. */
  hidden(prefix: string): AsyncIterable<string>;
}

export interface ObjectRetention {
  /** `COMPLIANCE` or `GOVERNANCE`. */
  readonly mode: string;
  /** Until then nobody can remove or change it. Milliseconds since 1970 UTC. */
  readonly untilMs: number;
}
