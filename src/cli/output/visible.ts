/** Escapes control characters and direction marks, so that text from an archive or the service cannot control a terminal. */
import { escapedCharacter } from '../../base/text/direction.js';
import { STEERING } from '../../base/text/short-texts.js';

const IN_TEXT = new RegExp(`(?![\\n\\t])[${STEERING}]`, 'gu');
const IN_JSON = new RegExp(`(?![\\n])[${STEERING}]`, 'gu');

/** `\u001b` for ESC, and so on. Keeps line ends and tabs; CR LF becomes LF. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, escapedCharacter);
}

/** The same, on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s\s*/g, (space) => (/[\n\t]/.test(space) ? ' ' : space));
}

/** JSON of the same value: JSON itself escapes only some control characters. */
export function visibleJson(json: string): string {
  return json.replace(IN_JSON, escapedCharacter);
}
