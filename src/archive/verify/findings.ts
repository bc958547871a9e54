/** What is wrong with an archive, as far as it was read. */
import type { IntegrityProblem } from './integrity-error.js';

export interface VerifyProblem {
  readonly path: string;
  readonly problem: IntegrityProblem;
  /** Goes on where the path ends: `is missing`. */
  readonly detail: string;
}

/** Gathers problems: the first one of each kind with an object. */
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
