/** What a pack holds so far: for the summary, and for the extracts, which name nothing else. */
export interface Packed {
  /** Whose sessions are in it: each person once, by the spelling that `Spellings` names. */
  readonly people: Set<string>;
  sessions: number;
  jobs: number;
  /** Ids of the sessions. */
  readonly sessionIds: Set<string>;
  /** Ids of the holds in `holds.csv`. */
  readonly holdIds: Set<string>;
  records: number;
  /** Paths in the archive of part files with a row in the pack. */
  readonly parts: Set<string>;
  /** Paths in the pack of the artifacts, each once. */
  readonly artifacts: Set<string>;
}

export function nothingPacked(): Packed {
  const sets = {
    people: new Set<string>(),
    sessionIds: new Set<string>(),
    holdIds: new Set<string>(),
    parts: new Set<string>(),
    artifacts: new Set<string>(),
  };
  return { sessions: 0, jobs: 0, records: 0, ...sets };
}
