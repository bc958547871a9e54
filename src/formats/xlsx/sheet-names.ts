/** Creates names that Excel accepts for sheets: at most 31 characters, none of `[]:*?/\`, unique ignoring case. */

const MAX_NAME_LENGTH = 31;

export class SheetNames {
  readonly #taken = new Set<string>();

  /** The name, with ` (2)`, ` (3)`, … if it is taken; truncated if it is too long. */
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

/** Truncates to `length` code units without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
