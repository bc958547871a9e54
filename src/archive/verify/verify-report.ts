/** The result of verifying an archive. */
import type { CommitRef } from '../log/commit-log.js';
import type { VerifyNote, VerifyProblem } from './findings.js';
import type { Rewrites } from './verify-log.js';
import type { SignatureReport } from './signature-check.js';
import type { TimestampReport } from './verify-witnesses.js';
import type { RetentionReport } from './verify-guards.js';

export interface VerifyReport {
  readonly location: string;
  readonly commits: number;
  /** Part files and workbooks that the newest commit leaves in the archive. */
  readonly files: number;
  /** Rows of those part files, by table. */
  readonly tableRows: Readonly<Record<string, number>>;
  readonly artifacts: number;
  /** Read back and hashed: part files, workbooks and artifacts. */
  readonly bytes: number;
  /** Files and artifacts whose bytes were not read back, only their presence and size; 0 without a sample. */
  readonly unread: number;
  readonly snapshots: number;
  /** Files that compactions have replaced and that stay for those who read them. */
  readonly replaced: { readonly files: number; readonly bytes: number };
  /** The newest commit; null if the log is empty or that commit is damaged. */
  readonly head: CommitRef | null;
  /** Null if nothing is retained. */
  readonly retention: RetentionReport | null;
  /** Erasures and compactions, which explain rows and files that are not there any more. */
  readonly rewrites: Rewrites;
  /** Of the sound commits. */
  readonly signatures: SignatureReport;
  readonly timestamps: TimestampReport;
  /** Ordered by path. */
  readonly problems: readonly VerifyProblem[];
  /** No damage. Ordered by path. */
  readonly notes: readonly VerifyNote[];
  /** Paths that no commit names, such as those of a dead run; no damage. Ordered. */
  readonly orphans: readonly string[];
  /** Paths that jobvault does not make, such as those of a file manager: left alone. Ordered. */
  readonly foreign: readonly string[];
}

export interface VerifyProgress {
  /** Named objects that were verified. */
  readonly checked: number;
  readonly total: number;
  readonly bytes: number;
}
