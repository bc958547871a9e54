/** What the pack's files tell of each row: times as ISO 8601. */
import type { NamedObject } from '../archive/checked-objects.js';
import type { AskedTimes } from '../model/asked-times.js';

/** Where a row was read. */
export interface Origin {
  /** The part file in the archive. */
  readonly path: string;
  /** The commit that names it. */
  readonly commit: number;
  readonly exportedAt: string | null;
}

export interface SessionFact extends Origin {
  readonly version: number;
  readonly name: string | null;
  readonly createdAt: string | null;
}

export interface JobFact extends Origin, AskedTimes {
  readonly version: number;
  readonly question: string | null;
  readonly answer: string | null;
}

/** Code or a step's text of a job in which the words of a search stand. */
export interface CodeFact {
  readonly kind: 'code' | 'step';
  /** The language of code, or what the step is called. */
  readonly name: string | null;
  readonly text: string;
}

/** A source or a proposed question of a job. */
export interface EntryFact {
  readonly kind: 'source' | 'question';
  /** The source's name with its page, or the question. */
  readonly text: string;
  /** The cited passage; null of a question, and where the service sends none. */
  readonly passage: string | null;
}

/** Where a record is in the pack. */
export interface RecordPlace {
  /** That of the file with the records of its conversation. */
  readonly packPath: string;
  /** Which one it is there, from 1. */
  readonly number: number;
  /** At which byte it begins there, from 0. */
  readonly offset: number;
}

/** A job's record, which is in the pack already. */
export interface RecordFact extends Origin, RecordPlace {
  readonly sha256: string;
  readonly bytes: number;
}

export interface ArtifactFact extends Origin {
  readonly role: string | null;
  readonly block: number;
  /** Within the block. */
  readonly file_index: number;
  /** As in `artifacts.kind`. */
  readonly type: string | null;
  readonly name: string | null;
  /** Without its query. */
  readonly url: string | null;
  readonly status: string | null;
  /** Why it is not stored; null where it is. */
  readonly reason: string | null;
  /** What is doubtful about it, where it is stored. */
  readonly doubt: string | null;
  readonly mediaType: string | null;
  /** Null where the file is not stored. */
  readonly file: NamedObject | null;
}

/** What the pack holds so far: for the summary, and for the extracts, which name nothing else. */
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
