/** What came of looking at every object of an archive. */
import type { IntegrityProblem } from './integrity-error.js';

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
  readonly states: number;
  /** Ordered by path. */
  readonly problems: readonly VerifyProblem[];
  /** Paths that no commit leaves in the archive: what a dead run left, no damage. Ordered. */
  readonly orphans: readonly string[];
}

export interface VerifyProblem {
  readonly path: string;
  readonly problem: IntegrityProblem;
  /** Goes on where the path ends: `is missing`. */
  readonly detail: string;
}

export interface VerifyProgress {
  /** Objects looked at, of those that are named. */
  readonly checked: number;
  readonly total: number;
  readonly bytes: number;
}

/** Gathers problems: the first one of each kind with an object. */
export class Findings {
  private readonly found = new Map<string, VerifyProblem>();

  add({ path, problem, detail }: VerifyProblem): void {
    const key = `${path} ${problem}`;
    if (!this.found.has(key)) this.found.set(key, { path, problem, detail });
  }

  get problems(): readonly VerifyProblem[] {
    return [...this.found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
