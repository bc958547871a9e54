/** Text as UTF-8 can hold it: half a surrogate pair becomes U+FFFD, everything else stays. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

export function wellFormed(text: string): string {
  return text.search(LONE_SURROGATE) < 0 ? text : text.replace(LONE_SURROGATE, '\u{FFFD}');
}
