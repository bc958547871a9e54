/** Collects the problems of an archive. */
import type { IntegrityProblem } from './integrity-error.js';

export interface VerifyProblem {
  readonly path: string;
  readonly problem: IntegrityProblem;
  /** Follows the path in a sentence: `is missing`. */
  readonly detail: string;
}

/** Keeps the first problem of each kind for each object. */
export class Findings {
  readonly #found = new Map<string, VerifyProblem>();

  add({ path, problem, detail }: VerifyProblem): void {
    const key = `${path} ${problem}`;
    if (!this.#found.has(key)) this.#found.set(key, { path, problem, detail });
  }

  addAny(problem: VerifyProblem | undefined): void {
    if (problem) this.add(problem);
  }

  get problems(): readonly VerifyProblem[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
