/** Text as UTF-8 can hold it: half a surrogate pair becomes U+FFFD, everything else stays. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
