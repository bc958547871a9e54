/** A seeded job before it is written out: blocks, and the files that they refer to. */
import { type FileContent } from './seeded-ids.js';

/** A block as it is sent, `type` first. Contents may hold `{{url:KEY}}` and `{{expires_at}}`. */
export interface SeededBlock {
  readonly type: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

export interface MadeJob {
  readonly question: readonly SeededBlock[];
  readonly answer: readonly SeededBlock[];
  readonly files: readonly MadeFile[];
}

export interface MadeFile {
  readonly key: string;
  /** Called only when the file is downloaded. */
  readonly make: () => FileContent;
}
