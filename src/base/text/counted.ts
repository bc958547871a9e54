/** Numbers with what they count, and words that go with a number: the one home of the plural. */

/** `1 job`, `2,000 jobs`. @param many default: the noun with an s */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${agreeing(count, noun, many)}`;
}

/** The word for one, or the word for any other number: `is`, `are`. */
export function agreeing(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
