/** The contents of the next checkpoint. */
import type { JobLine, SessionEntry, UserEntry } from '../../archive/log/commit.js';
import type { PartSet } from '../../archive/parts/part-set.js';
import { CheckpointTally } from './checkpoint-tally.js';

/** A session's side of a checkpoint. */
export interface SessionBook {
  /** The session's log entry as of now; called when a commit is made. */
  readonly entry: SessionEntry;
}

export class CheckpointBatch {
  readonly tally = new CheckpointTally();
  readonly jobs: JobLine[] = [];
  readonly sessions = new Map<string, SessionBook>();
  readonly users: UserEntry[] = [];
  readonly files: string[] = [];
  readonly fileSet = new Set<string>();
  fileBytes = 0;
  /** Rows that belong to no session. */
  hasOwnRows = false;

  constructor(readonly parts: PartSet) {}

  get isEmpty(): boolean {
    return this.sessions.size === 0 && this.users.length === 0 && !this.hasOwnRows;
  }
}
