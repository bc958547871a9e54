/** Says when something was asked: the time, or the bounds that its neighbours in the history give. */
export function askedText(
  at: string | undefined,
  after: string | undefined,
  before: string | undefined,
): string {
  if (at !== undefined) return at;
  if (after !== undefined && before !== undefined) return `between ${after} and ${before}`;
  if (after !== undefined) return `after ${after}`;
  return before === undefined ? 'time unknown' : `before ${before}`;
}
