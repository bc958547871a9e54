/** `ada, ben and 3 more`. @param named the first of them @param count how many there are in all */
export function withMore(named: readonly string[], count: number): string {
  const more = count - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
