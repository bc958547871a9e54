/** README.txt of a pack: what it is, how to check it, what it proves and what it does not. */
import { NAMED_IN_PACK } from './named-in-pack.js';
import { COLUMNS_SECTION } from './pack-columns.js';
import type { PackFacts } from './pack-facts.js';
import { caveatSections, folded } from './readme-lines.js';
import { aboutSection } from './readme/about.js';
import { contentsSection } from './readme/contents.js';
import { checkSection } from './readme/how-to-check.js';
import { logSection } from './readme/the-log.js';
import { searchSection } from './readme/the-search.js';
import { NOT_PROVEN_SECTION, provesSection } from './readme/what-it-proves.js';

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
