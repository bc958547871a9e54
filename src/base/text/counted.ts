/** Numbers with what they count, and words that go with a number: the one home of the plural. */

/** `2,000`. Whole numbers do without Intl: to load what it knows takes a tenth of the time in which Node starts. */
export function thousands(count: number): string {
  if (!Number.isInteger(count)) return count.toLocaleString('en-US');
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 job`, `2,000 jobs`. @param many default: the noun with an s */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${thousands(count)} ${agreeing(count, noun, many)}`;
}

/** `3`, or `3 of 4 (1 withheld)` of a conversation of which not all is there. @param noun of the questions, where they are named */
export function partText(
  some: number,
  { archived, withheld }: { readonly archived: number; readonly withheld: number },
  noun?: string,
): string {
  const shown = (number: number): string =>
    noun === undefined ? thousands(number) : counted(number, noun);
  if (some === archived) return shown(some);
  const told = withheld === 0 ? '' : ` (${thousands(withheld)} withheld)`;
  return `${thousands(some)} of ${shown(archived)}${told}`;
}

/** The word for one, or the word for any other number: `is`, `are`. */
export function agreeing(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
