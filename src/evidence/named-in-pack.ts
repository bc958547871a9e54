/** Where a pack names all of which its page, its README.txt and the terminal name only the first. */
import type { Elsewhere } from '../archive/reading/caveats/caveat-text.js';

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
  absent: 'index.csv',
  hold: 'holds.csv',
  erased: 'summary.csv',
  maybe_erased: 'summary.csv',
  not_proven: 'summary.csv',
  table_not_searched: 'tables-not-searched.csv',
  table_in_part: 'tables-not-searched.csv',
};

/** The same, seen from the directory of the pack. */
export const NAMED_BELOW_PACK: Elsewhere = Object.fromEntries(
  Object.entries(NAMED_IN_PACK).map(([kind, file]) => [kind, `data/${file}`]),
);
