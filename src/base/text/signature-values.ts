/** Masks the values of signatures and credentials in URLs anywhere in a text, however the URL is escaped. */
import { nextMatch } from './next-match.js';

// repetitions are bounded: without that, a long run of `%25` or backslashes would take quadratic time

/** `=` as it is, in a URL within a URL, in JSON and in HTML. */
const EQUALS = String.raw`(?:=|%(?:25){0,4}3d|\\{1,8}u003d|&#(?:61|x3d);|&equals;)`;
const AMPERSAND = String.raw`&(?:amp;){0,4}|&#(?:38|x26);(?:amp;){0,4}|%(?:25){0,4}26|\\{1,8}u0026`;
const QUESTION = String.raw`\?|%(?:25){0,4}3f|\\{1,8}u003f|&#(?:63|x3f);`;
/** These names always mean a signature or a key. */
const CERTAIN = 'x-(?:amz|goog|oss)-(?:signature|security-token)|q-signature';
/** These are also ordinary words: they count only as a parameter with a long value. */
const LIKELY = 'signature|sig|security-token|x-cos-security-token';
/** These name what opens something to its holder, however short its value is. */
const CREDENTIAL =
  '(?:(?:access|id|auth|refresh|session|bearer|security|csrf)[_-]?)?token|jwt|bearer|(?:x[_-]?)?api[_-]?key|' +
  'access[_-]?key(?:[_-]?id)?|secret(?:[_-]?key)?|client[_-]?secret|password|passwd|pwd|authorization|auth|credentials?';
/** Begins a parameter of a path, or of a fragment. */
const OTHER_START = String.raw`[;#]|%(?:25){0,4}(?:3b|23)`;
/** Ends a parameter: a quote, a bracket, white space, or an ampersand in any spelling. */
const VALUE_END = /[\s"'<>()[\]{}\\`|#&]|%(?:25){0,4}26/gi;
/** A word that is likely a signature's name has a value of at least this length. */
const SHORTEST_VALUE = 16;

const NAME = new RegExp(
  `(${CERTAIN})${EQUALS}|(?:${AMPERSAND}|${QUESTION}|${OTHER_START})(?:(${CREDENTIAL})|${LIKELY})${EQUALS}`,
  'gi',
);
const MAY_HOLD_ONE = /sig|token|key|jwt|bearer|secret|pass|pwd|auth|credential/i;

/** The text with `***` for each signature and each credential. */
export function maskSignatures(text: string): string {
  if (!MAY_HOLD_ONE.test(text)) return text;
  const pieces: string[] = [];
  let done = 0;
  NAME.lastIndex = 0;
  for (let name = NAME.exec(text); name; name = NAME.exec(text)) {
    const start = NAME.lastIndex;
    const end = nextMatch(VALUE_END, text, start);
    const isSignature = end - start >= ((name[1] ?? name[2]) === undefined ? SHORTEST_VALUE : 1);
    if (isSignature) {
      pieces.push(text.slice(done, start), '***');
      done = end;
    }
    NAME.lastIndex = isSignature ? end : name.index + 1;
  }
  return pieces.join('') + text.slice(done);
}
