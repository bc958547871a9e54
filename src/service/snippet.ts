/** Quotes the beginning of an unexpected answer for a message. */

const LONGEST = 120;
/** Redaction reads far more than is quoted, so that it sees a secret at the end of the quotation whole. */
const LOOKED_AT = 16_384;
const QUERY = /[?&][\w.%~-]+=[^\s"'<>]*/g;

/** In quotation marks, without tags, runs of white space, queries and secrets; empty for an empty text. */
export function snippetOf(text: string, redact: (text: string) => string): string {
  const plain = text
    .slice(0, LOOKED_AT)
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll('\\/', '/');
  const readable = redact(plain)
    .replace(QUERY, '?…')
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    // eslint-disable-next-line no-control-regex -- a message must not drive a terminal
    .replace(/[\s\u0000-\u001f\u007f-\u009f\ufffd]+/g, ' ')
    .trim();
  const characters = Array.from(readable);
  if (characters.length === 0) return '';
  return characters.length > LONGEST
    ? `“${characters.slice(0, LONGEST).join('')}…”`
    : `“${readable}”`;
}
