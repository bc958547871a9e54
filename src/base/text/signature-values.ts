/** Masks the values of URL signatures anywhere in a text, however the URL is escaped. */

// repetitions are bounded: without that, a long run of `%25` or backslashes would take quadratic time

/** `=` as it is, in a URL within a URL, in JSON and in HTML. */
const EQUALS = String.raw`(?:=|%(?:25){0,4}3d|\\{1,8}u003d|&#(?:61|x3d);|&equals;)`;
const AMPERSAND = String.raw`&(?:amp;){0,4}|&#(?:38|x26);(?:amp;){0,4}|%(?:25){0,4}26|\\{1,8}u0026`;
const QUESTION = String.raw`\?|%(?:25){0,4}3f|\\{1,8}u003f|&#(?:63|x3f);`;
/** These names always mean a signature or a key. */
const CERTAIN = 'x-(?:amz|goog|oss)-(?:signature|security-token)|q-signature';
/** These are also ordinary words: they count only as a parameter with a long value. */
const LIKELY = 'signature|sig|security-token|x-cos-security-token';
/** Ends with the parameter: at a quote, a bracket, white space, or an ampersand in any spelling. */
const VALUE = String.raw`(?:(?!%(?:25){0,4}26|&|\\{1,8}u0026)[^\s"'<>()[\]{}\\\x60|#])`;

const SIGNATURE = new RegExp(
  `((?:${CERTAIN})${EQUALS})${VALUE}+|((?:${AMPERSAND}|${QUESTION})(?:${LIKELY})${EQUALS})${VALUE}{16,}`,
  'gi',
);
const MAY_HOLD_ONE = /sig|token/i;

/** The text with `***` for each signature. */
export function maskSignatures(text: string): string {
  if (!MAY_HOLD_ONE.test(text)) return text;
  return text.replace(
    SIGNATURE,
    (_match, certain: string | undefined, likely: string | undefined) =>
      `${certain ?? likely ?? ''}***`,
  );
}
