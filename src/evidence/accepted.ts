/** What a pack says of gaps that somebody has accepted: for whom it is made they stay gaps. */
import type { AcceptedGap } from '../archive/log/notes.js';
import { shownLine } from '../base/text/short-texts.js';

/** The cells of a gap in `gaps.csv` that nobody has accepted. */
export const NOT_ACCEPTED = { accepted_by: null, accepted_at: null, accepted_reason: null };

export function acceptedCells(accepted: AcceptedGap | undefined) {
  if (!accepted) return NOT_ACCEPTED;
  const { by, at, reason } = accepted;
  return { accepted_by: by, accepted_at: at, accepted_reason: reason };
}

/** Lines of one pack that tell who has accepted its gaps, and why. */
const MAX_LINES = 20;

export class AcceptedInPack {
  #gaps = 0;
  /** By who accepted them, and why: how many. */
  readonly #counts = new Map<string, number>();

  get gaps(): number {
    return this.#gaps;
  }

  add(by: string, reason: string): void {
    this.#gaps++;
    const line = shownLine(`by ${by}: ${reason}`);
    this.#counts.set(line, (this.#counts.get(line) ?? 0) + 1);
  }

  /** `2 by Grace Hopper: ticket 7` */
  get lines(): readonly string[] {
    const lines = [...this.#counts].map(([line, gaps]) => `${gaps} ${line}`);
    const more = lines.length - MAX_LINES;
    return more > 0
      ? [...lines.slice(0, MAX_LINES), `and ${more} more reasons, which gaps.csv has`]
      : lines;
  }

  /** For `README.txt`; empty where nobody has accepted any. */
  get section(): string {
    if (this.#gaps === 0) return '';
    return `
Somebody has accepted ${this.#gaps} of them, which stay missing all the same:
${this.lines.map((line) => `  ${line}\n`).join('')}gaps.csv says of each by whom, when and why (accepted_by, accepted_at, accepted_reason).`;
  }
}
