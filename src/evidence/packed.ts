/** What the pack holds so far: for the summary, and for the extracts, which name nothing else. */
export interface Packed {
  users: number;
  /** Of whom it is not proven that all their sessions are archived, though no gap is known. */
  usersNotProven: number;
  sessions: number;
  jobs: number;
  /** Ids of the sessions. */
  readonly sessionIds: Set<string>;
  records: number;
  /** Paths in the archive of part files with a row in the pack. */
  readonly parts: Set<string>;
  /** Paths in the archive of artifacts in the pack. */
  readonly artifacts: Set<string>;
}

export function nothingPacked(): Packed {
  const sets = {
    sessionIds: new Set<string>(),
    parts: new Set<string>(),
    artifacts: new Set<string>(),
  };
  return { users: 0, usersNotProven: 0, sessions: 0, jobs: 0, records: 0, ...sets };
}
