/** A text as it was sent: its characters can be copied, and those that would turn its direction turn nothing. */
import { make } from './elements.js';

const TURNING = /([\u202a-\u202e\u2066-\u2069])/;

/** A character that turns a text stands alone in an element, which the style sheet gives its name. */
export function sentParts(text: string): Node[] {
  return text.split(TURNING).map((part, at) => {
    const node = document.createTextNode(part);
    if (at % 2 === 0) return node;
    const code = `\\u${part.charCodeAt(0).toString(16)}`;
    return make('bdi', { class: 'turning', 'data-code': code }, node);
  });
}
