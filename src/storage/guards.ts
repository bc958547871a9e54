/** Retention and delete markers, in storages that have them. */
export interface Guards {
  /** Whether objects here can be retained, and this key may read their retention. */
  canRetain(): Promise<boolean>;
  /** Undefined if the object has none, or there is no object. */
  retentionOf(path: string): Promise<ObjectRetention | undefined>;
  /** Paths below `prefix` whose object is hidden by a delete marker: it can be restored. */
  hidden(prefix: string): AsyncIterable<string>;
}

export interface ObjectRetention {
  /** `COMPLIANCE` or `GOVERNANCE`. */
  readonly mode: string;
  /** Until then nobody can remove or change it. Milliseconds since 1970 UTC. */
  readonly untilMs: number;
}
