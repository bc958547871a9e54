/** Ids that look the same are told apart. */

/**
 * A name as it is told from others: where it has white space around it, or letters and accents that are apart, with what
 * the eye does not see.
 */
export function toldApart(user: string): string {
  if (user === user.normalize('NFC').trim()) return user;
  const escaped = user.replace(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
  return `${user} (${user === user.trim() ? escaped : JSON.stringify(escaped).replaceAll('\\\\', '\\')})`;
}
