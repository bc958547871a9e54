/** The caveats of a report or a pack as cards of its first page: what is missing comes first, in a card of its own. */
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import type { CaveatSeverity } from '../../archive/reading/caveats/caveat-kind.js';
import {
  namesIn,
  SEVERITY_WORDS,
  type Elsewhere,
} from '../../archive/reading/caveats/caveat-text.js';
import { counted } from '../../base/text/counted.js';
import { shownHtml, withNames } from './shown-html.js';

/** How many of each are named. */
const NAMED = 20;

/** Notes are folded, so that what is reported comes first. Empty where there is none of these. @param elsewhere what names the others */
export function caveatCards(
  caveats: readonly Caveat[],
  severities: readonly CaveatSeverity[],
  elsewhere: Elsewhere,
): string {
  return severities
    .map((severity) => {
      const listed = caveats.filter((caveat) => caveat.severity === severity);
      if (listed.length === 0) return '';
      const items = listed.map((caveat) => itemHtml(caveat, elsewhere)).join('');
      if (severity === 'note') {
        return `<details class="card notes note"><summary>${counted(listed.length, 'note')}</summary><ul>${items}</ul></details>\n`;
      }
      return `<section class="card notes ${severity}"><h2>${SEVERITY_WORDS[severity]}</h2><ul>${items}</ul></section>\n`;
    })
    .join('');
}

function itemHtml(caveat: Caveat, elsewhere: Elsewhere): string {
  const { headline, why } = caveat;
  const names = namesIn(caveat, NAMED, elsewhere).map(
    (line) => `<li>${withNames(shownHtml(line))}</li>`,
  );
  const named = names.length === 0 ? '' : `<ul>${names.join('')}</ul>`;
  const text = why === null ? '' : `: ${shownHtml(why)}`;
  return `<li><strong>${shownHtml(headline)}</strong>${text}${named}</li>`;
}
