/** Which texts of people an erasure turns into `[erased]`, each where it stands. */
import { counted } from '../../../base/text/counted.js';
import { groupBy } from '../../../base/group-by.js';
import type { ErasedTexts, EraseSummary } from '../../../rewrite/erasure/erase-options.js';
import { visibleLine } from '../../../base/text/visible.js';

export function textsErasedHeading({ status, texts_erased: texts }: EraseSummary): string {
  const count = texts.reduce((sum, place) => sum + place.count, 0);
  const become = status === 'erased' ? 'became' : count === 1 ? 'becomes' : 'become';
  return `${counted(count, 'text')} of the log ${become} [erased], as they name what goes, or are the words of a request about it:`;
}

/** A line for each request, hold, receipt … */
export function textsErasedItems(texts: readonly ErasedTexts[]): string[] {
  const records = groupBy(texts, ({ kind, id }) => `${kind} ${id}`);
  return [...records.values()].flatMap((places) => {
    const [first] = places;
    if (!first) return [];
    const fields = places.map(
      ({ field, count }) => `${fieldText(field)}${count === 1 ? '' : ` (${count})`}`,
    );
    return [`${recordText(first)}: ${fields.join(', ')}`];
  });
}

const KINDS: Readonly<Record<ErasedTexts['kind'], string>> = {
  request: 'request',
  hold: 'hold',
  gap: 'accepted gap',
  image: 'accepted image',
  retention: 'least retention, in commit',
  suppression: 'suppression',
  receipt: 'receipt',
  run: 'run',
};

function recordText({ kind, id, name }: ErasedTexts): string {
  if (name === null) return `${KINDS[kind]} ${id}`;
  return kind === 'hold'
    ? `hold ${id} on ${visibleLine(name)}`
    : `${KINDS[kind]} “${visibleLine(name)}”`;
}

const WORDS: Readonly<Record<string, string>> = {
  by: 'who',
  set_by: 'who set it',
  match: 'words',
  search: 'words',
};

/** `reason`, `decide: who` */
function fieldText(field: string): string {
  const at = field.lastIndexOf('.');
  const [action, key] = [field.slice(0, Math.max(at, 0)), field.slice(at + 1)];
  const word = WORDS[key] ?? key;
  return action === '' ? word : `${action}: ${word}`;
}
