/** A quick digest of a record's text, for unchanged runs: of how it was sent, not of what it means. */
import { hasEscapedKey, parseString } from '../base/text/parse-json.js';
import { sha256Hex } from '../base/digest.js';
import { presigningMasked } from '../model/urls/file-url.js';
import { mayBePresigned } from '../model/urls/presigning.js';

/** The rest of a string. With more escapes it is not matched: then its text counts as it is. */
const REST = String.raw`[^"\\]*(?:\\.[^"\\]*){0,1000}"`;
const STRING = `"${REST}`;
/** A value that may be a URL: no key, and no escaped quote begins it. */
const URL_VALUE = String.raw`(?<!\\)"https?:${REST}(?!\s*:)`;
/** How a file's URL stands in a record: in an object with its name and its time of expiry, and nothing else. */
const POINTER = new RegExp(
  String.raw`(\{\s*(?:"name"\s*:\s*${STRING}\s*,\s*)?"url"\s*:\s*)(${URL_VALUE})(\s*,\s*"expires_at"\s*:\s*)${STRING}(?=\s*\})`,
  'g',
);
const SOLE_URL = new RegExp(URL_VALUE, 'g');
/** What is in a block's type is no pointer: a time of expiry counts there. */
const TYPE_IS_NO_TEXT = /"type"\s*:\s*[^"\s]/;
/** As it stands for itself, no JSON holds it. */
const MARK = '\0';

/**
 * Two texts with one digest have one `contentHash` and the same `urlTraces`. The reverse does not hold: a
 * text that is spelt otherwise has to be read.
 *
 * A string that is a URL with a whole presigning scheme is masked, and so is the `expires_at` of the
 * object that points to it: both change with every read, and count for nothing. Nothing else is masked.
 */
export function textHash(text: string): string {
  return sha256Hex(stableText(text)).slice(0, 32);
}

function stableText(text: string): string {
  if (!mayBePresigned(text) || TYPE_IS_NO_TEXT.test(text) || hasEscapedKey(text)) return text;
  return text
    .replace(POINTER, (pointer: string, before: string, url: string, between: string) => {
      const masked = maskedLiteral(url);
      return masked === url ? pointer : before + masked + between + MARK;
    })
    .replace(SOLE_URL, maskedLiteral);
}

function maskedLiteral(literal: string): string {
  if (!mayBePresigned(literal)) return literal;
  const masked = presigningMasked(parseString(literal));
  return masked === undefined ? literal : MARK + JSON.stringify(masked);
}
