/** Collects the problems of an archive, and what is worth a note and no damage. */
import type { IntegrityProblem } from '../archive-errors.js';

export interface VerifyProblem {
  readonly path: string;
  readonly problem: IntegrityProblem;
  /** Follows the path in a sentence: `is missing`. */
  readonly detail: string;
}

/** Such as a cache that cannot be read: nothing is lost with it. */
export interface VerifyNote {
  readonly path: string;
  /** Follows the path in a sentence. */
  readonly detail: string;
}

/** What follows where something was made after the newest commit. */
export const MAY_BE_CUT = 'this log may have been cut: compare --expect-head';

/** Keeps the first problem of each kind for each object. */
export class Findings {
  readonly #found = new Map<string, VerifyProblem>();
  readonly #notes: VerifyNote[] = [];

  add({ path, problem, detail }: VerifyProblem): void {
    const key = `${path} ${problem}`;
    if (!this.#found.has(key)) this.#found.set(key, { path, problem, detail });
  }

  addAny(problem: VerifyProblem | undefined): void {
    if (problem) this.add(problem);
  }

  note(path: string, detail: string): void {
    this.#notes.push({ path, detail });
  }

  get notes(): readonly VerifyNote[] {
    return this.#notes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  get problems(): readonly VerifyProblem[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
