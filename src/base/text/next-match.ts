/**
 * Steps through a text from one match to the next, for texts of any length. V8 keeps a place for each repetition of a
 * group, at times also for each character of `x+`, and throws "Maximum call stack size exceeded" after some
 * millions of them. Patterns for texts from the service therefore repeat single characters only, as `xx*`.
 */

/** Where the pattern matches next; the text's length if it does not. @param pattern global */
export function nextMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
