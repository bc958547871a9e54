/** Escapes control characters and direction marks, so that text from an archive or the service cannot control a terminal or a viewer. */
import { escapedCharacter } from './direction.js';

/** As part of a character class: control characters (C0, DEL, C1), the two line separators of Unicode, and marks of direction. */
export const STEERING = '\\p{Cc}\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

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

/** A text of people on one line, without any of these characters. */
export function shownLine(text: string): string {
  return text.replaceAll(new RegExp(`[${STEERING}]+`, 'gu'), ' ');
}
