/** What every output shows of a block beside its files: its text, the entries of its list, or its JSON. */
import { jsonIn } from '../../base/text/parse-json.js';
import { isFileShape, isListShape, isTextShape, shapeOf } from './block-types.js';
import { contentWords } from './content-words.js';
import { entriesOf } from './list-entries.js';
import { textIn } from '../mask-secrets.js';
import type { Row } from '../table-schema.js';

export interface ShownContent {
  readonly text: string | null;
  /** The entries of sources or questions. */
  readonly entries: readonly unknown[] | null;
  /** Where the content has more than the text, the entries, and the names, URLs and times of expiry of files. */
  readonly json: string | null;
}

const NOTHING: ShownContent = { text: null, entries: null, json: null };

/** @param block a row of the table `blocks` @param hasFiles whether files are shown beside it */
export function shownContent(block: Row, hasFiles: boolean): ShownContent {
  const shape = shapeOf(textIn(block, 'type'));
  const text = textIn(block, 'content_text');
  const json = textIn(block, 'content_json');
  if (json === null) return { ...NOTHING, text };
  const value = jsonIn(json); // undefined of a text that was cut
  if (isListShape(shape) && value !== undefined) {
    const entries = entriesOf(value);
    if (entries.length > 0) return { ...NOTHING, entries };
  }
  const words = value === undefined ? undefined : contentWords(value, shape);
  const hasMore = words?.hasMore ?? true;
  if (isTextShape(shape) || isFileShape(shape)) {
    const isShown = hasMore || (text === null && !hasFiles);
    return { ...NOTHING, text, json: isShown && text !== json ? json : null };
  }
  const isOfFiles = hasFiles && !hasMore && words?.words.length === 0;
  return isOfFiles ? NOTHING : { ...NOTHING, json };
}
