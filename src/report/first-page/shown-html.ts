/** Texts as HTML of the first page, in the direction in which they are read. */
import { hasLettersToTheLeft, visibleDirections } from '../../base/text/direction.js';
import { escapeHtml } from '../../base/text/short-texts.js';

/** A text for the page: what would turn its direction is shown. */
export function shownHtml(text: string): string {
  return escapeHtml(visibleDirections(text));
}

/** A name that runs to the left does not change the direction of the sentence that quotes it. */
export function withNames(html: string): string {
  return html.replace(/“([^“”]*)”/g, (quoted, name: string) =>
    hasLettersToTheLeft(name) ? `“<bdi>${name}</bdi>”` : quoted,
  );
}
