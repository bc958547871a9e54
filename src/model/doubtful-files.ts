/** Stored files with doubtful content: what is made of an archive names them, since a reader who opens one finds nothing. */
import { shownLine } from '../base/text/short-texts.js';

/** Of one output. */
const MOST_NAMED = 20;

export interface DoubtfulFile {
  /** Of its conversation. */
  readonly session: string;
  readonly sessionName: string | null;
  /** In the archive. */
  readonly path: string;
  readonly name: string | null;
  /** As in `artifacts.suspicious`. */
  readonly why: string;
}

export class DoubtfulFiles {
  /** By conversation and file: an answer may show one twice. */
  readonly #lines = new Map<string, string>();

  get count(): number {
    return this.#lines.size;
  }

  add({ session, sessionName, path, name, why }: DoubtfulFile): void {
    const titles = [name ?? '(no name)', sessionName ?? session].map((title) => `“${title}”`);
    this.#lines.set(JSON.stringify([session, path]), shownLine(`${titles.join(' in ')}: ${why}`));
  }

  /** `“nothing.csv” in “Sales”: an empty file`: the first ones. */
  get lines(): readonly string[] {
    return [...this.#lines.values()].slice(0, MOST_NAMED);
  }

  /** How many are not among the lines. */
  get others(): number {
    return Math.max(0, this.count - MOST_NAMED);
  }
}
