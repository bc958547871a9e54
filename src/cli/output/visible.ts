/** Text from an archive or the service, made harmless to a terminal: what would steer it or turn its direction is shown as an escape. */

import { STEERING } from '../../base/steering.js';

const IN_TEXT = new RegExp(`(?![\\n\\t])[${STEERING}]`, 'gu');
const IN_JSON = new RegExp(`(?![\\n])[${STEERING}]`, 'gu');

/** `\u001b` for ESC, and so on. Line ends and tabs stay; CR LF is a line end. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, escaped);
}

/** Likewise, on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*[\n\t]\s*/g, ' ');
}

/** JSON of the same value: JSON itself escapes only a part of what steers a terminal. */
export function visibleJson(json: string): string {
  return json.replace(IN_JSON, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
