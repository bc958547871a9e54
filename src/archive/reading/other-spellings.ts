/** What documents say of users whose ids are other spellings of those that they are about: how many, and not who. */

/** Whoever gets the document may know nothing of them; null of nobody. */
export function otherSpellingsHere(others: readonly string[]): string | null {
  if (others.length === 0) return null;
  const isOne = others.length === 1;
  const who = isOne ? '1 user whose id differs' : `${others.length} users whose ids differ`;
  const [that, is] = isOne ? ['that user', 'it is'] : ['those users', 'they are'];
  return `The archive also has ${who} from one named here only in capitals, in white space around it, or in the form of its characters. Nothing of ${that} is here, and the archive does not tell whether ${is} the same person.`;
}
