/** The known word that a mistyped one was probably meant to be; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  // a word of two letters is two changes away from any other
  const limit = Math.min(Math.max(2, word.length / 3), word.length - 1);
  return best && best.distance <= limit ? best.candidate : undefined;
}

/** How many names are listed if none is near. */
const LISTED_NAMES = 5;

/** Suggests what an unknown name may have meant: the last clause of a sentence. */
export function meantOf(kind: string, name: string, known: Iterable<string>): string {
  const names = [...new Set(known)].sort();
  const begun = name.length < 4 ? [] : names.filter((known) => known.startsWith(name));
  const guess = begun.length === 1 ? begun[0] : nearest(name, names);
  if (guess !== undefined) return `did you mean ${JSON.stringify(guess)}?`;
  if (names.length === 0) return `there are no ${kind}s in it`;
  const listed = names.slice(0, LISTED_NAMES).join(', ');
  return `${kind}s in it: ${listed}${names.length > LISTED_NAMES ? ', …' : ''}`;
}

/** Levenshtein's: insertions, deletions and substitutions that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
