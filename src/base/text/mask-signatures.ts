/** Masks the values of signatures and credentials in URLs anywhere in a text, however the URL is escaped. */
import { nextMatch } from './next-match.js';

// repetitions are bounded: without that, a long run of `%25` or backslashes would take quadratic time

/** `=` as it is, in a URL within a URL, in JSON and in HTML. */
const ANY_EQUALS = String.raw`(?:=|%(?:25){0,4}3d|\\{1,8}u003d|&#(?:61|x3d);|&equals;)`;
const ANY_AMPERSAND = String.raw`&(?:amp;){0,4}|&#(?:38|x26);(?:amp;){0,4}|%(?:25){0,4}26|\\{1,8}u0026`;
const ANY_QUESTION = String.raw`\?|%(?:25){0,4}3f|\\{1,8}u003f|&#(?:63|x3f);`;
/** These names always mean a signature or a key. */
const CERTAIN = 'x-(?:amz|goog|oss)-(?:signature|security-token)|q-signature';
/** These are also ordinary words: they count only as a parameter with a long value. */
const LIKELY = 'signature|sig|key|security-token|x-cos-security-token';
/** These name what opens something to its holder, however short its value is. */
const CREDENTIAL =
  '(?:(?:access|id|auth|oauth|refresh|session|bearer|security|csrf|private|sas)[_-]?)?token|jwt|bearer|(?:x[_-]?)?api[_-]?key|' +
  'access[_-]?key(?:[_-]?id)?|subscription[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|password|passwd|pwd|authorization|auth|' +
  'credentials?|(?:j|php)?sess(?:ion)?[_-]?id';
/** Begins a parameter of a path, or of a fragment. */
const OTHER_START = String.raw`[;#]|%(?:25){0,4}(?:3b|23)`;
/** Ends a parameter: a quote, a bracket, white space, an ampersand in any spelling, or a script that writes no spaces. */
const VALUE_END =
  /[\s"'<>()[\]{}\\`|#&\u2010-\u206f\u3000-\u303f\uff00-\uffef\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|%(?:25){0,4}26/giu;
/** A word that is likely a signature's name has a value of at least this length. */
const SHORTEST_VALUE = 16;

const NAME = new RegExp(
  `(${CERTAIN})${ANY_EQUALS}|(?:${ANY_AMPERSAND}|${ANY_QUESTION}|${OTHER_START})(?:(${CREDENTIAL})|${LIKELY})${ANY_EQUALS}`,
  'gi',
);
const MAY_HOLD_ONE = /sig|token|key|jwt|bearer|secret|pass|pwd|auth|credential|sess/i;

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
