/** Names that Excel accepts for sheets: 31 characters at most, none of `[]:*?/\`, unique whatever the case. */

const MAX_NAME_LENGTH = 31;

export class SheetNames {
  readonly #taken = new Set<string>();

  /** The name itself, or with ` (2)`, ` (3)`, … where it is taken; cut where it is too long. */
  next(wanted: string): string {
    const base = wanted.replace(/[[\]:*?/\\]/g, '_').replace(/^'|'$/g, '_') || 'sheet';
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`;
      const name = cut(base, MAX_NAME_LENGTH - suffix.length) + suffix;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** At most so many code units, and no half of a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
