/** README.txt of a pack: what it is, how to check it, what it proves and what it does not. */
import type { Elsewhere } from '../archive/reading/caveats/caveat-text.js';
import { COLUMNS_SECTION } from './pack-columns.js';
import type { PackFacts } from './pack-facts.js';
import { caveatSections, folded } from './readme-lines.js';
import { aboutSection } from './readme/about.js';
import { contentsSection } from './readme/contents.js';
import { checkSection } from './readme/how-to-check.js';
import { logSection } from './readme/the-log.js';
import { searchSection } from './readme/the-search.js';
import { NOT_PROVEN_SECTION, provesSection } from './readme/what-it-proves.js';

/** Files of a pack that name what its page and this text do not. */
export const NAMED_IN_PACK: Elsewhere = {
  gap: 'gaps.csv',
  accepted_gap: 'gaps.csv',
  doubted: 'gaps.csv',
  lost_file: 'gaps.csv',
  left_out: 'gaps.csv',
  withheld: 'withheld.csv',
  redacted: 'withheld.csv',
  undated: 'items.csv',
  unsettled: 'items.csv',
  suspicious_file: 'items.csv',
  gone: 'index.csv',
  hold: 'holds.csv',
  erased: 'summary.csv',
  maybe_erased: 'summary.csv',
  not_proven: 'summary.csv',
  table_not_searched: 'tables-not-searched.csv',
  table_in_part: 'tables-not-searched.csv',
};

/** Lines are short, so that every viewer shows them whole. */
export function packReadme(facts: PackFacts): string {
  const { caveats, search } = facts;
  const sections = [
    aboutSection(facts),
    caveatSections(caveats, NAMED_IN_PACK),
    search === null ? '' : searchSection(search),
    contentsSection(facts),
    COLUMNS_SECTION,
    checkSection(facts),
    logSection(facts),
    provesSection(facts),
    NOT_PROVEN_SECTION,
  ];
  return folded(sections.join(''));
}
