/** Numbers with what they count, and words that go with a number: the one home of the plural. */

/** `1 job`, `2,000 jobs`. @param many default: the noun with an s */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${agreeing(count, noun, many)}`;
}

/** `3`, or `3 of 4 (1 withheld)` of a conversation of which not all is there. @param noun of the questions, where they are named */
export function partText(
  some: number,
  { archived, withheld }: { readonly archived: number; readonly withheld: number },
  noun?: string,
): string {
  const shown = (number: number): string =>
    noun === undefined ? number.toLocaleString('en-US') : counted(number, noun);
  if (some === archived) return shown(some);
  const told = withheld === 0 ? '' : ` (${withheld.toLocaleString('en-US')} withheld)`;
  return `${some.toLocaleString('en-US')} of ${shown(archived)}${told}`;
}

/** The word for one, or the word for any other number: `is`, `are`. */
export function agreeing(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
