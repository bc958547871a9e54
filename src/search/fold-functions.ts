/** The folding as functions of SQL: for what the archive does not have folded, and for names, which are short. */
import { foldText } from '../base/text/fold-text.js';
import { contentOf, searchText, textsAsRead } from '../model/blocks/search-text.js';
import type { TextFunction } from '../query/text-function.js';

export const FOLD_TEXT = 'folded_text';
export const FOLD_BLOCK = 'folded_block';

export const FOLD_FUNCTIONS: readonly TextFunction[] = [
  {
    name: FOLD_TEXT,
    parameters: 1,
    apply: (text = null) => (text === null ? null : foldText(text)),
  },
  {
    name: FOLD_BLOCK,
    parameters: 4,
    apply: (role = null, type = null, text = null, json = null) =>
      searchText(textsAsRead({ role, type, text, content: contentOf(json) })),
  },
];
