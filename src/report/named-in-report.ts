/** Where a report names all of which its first page and the terminal name only the first. */
import type { Elsewhere } from '../archive/reading/caveats/caveat-text.js';

const LIST_OF_GAPS = 'the list of gaps on its page';

export const NAMED_IN_REPORT: Elsewhere = {
  gap: LIST_OF_GAPS,
  accepted_gap: LIST_OF_GAPS,
  doubted: LIST_OF_GAPS,
  lost_file: LIST_OF_GAPS,
  left_out: LIST_OF_GAPS,
};
