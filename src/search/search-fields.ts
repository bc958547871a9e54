/** Where a search looks, and where the words of a hit stand. The report's page uses it, too: nothing here needs Node. */

/** In the order of the bits that say in which of them a job was found. */
export const SEARCH_FIELDS = ['question', 'answer', 'code', 'table', 'file', 'name'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

const OF_A_HIT: Readonly<Record<SearchField, string>> = {
  question: 'the question',
  answer: 'the answer',
  code: 'code',
  table: 'a table',
  file: 'the name of a table or image',
  name: 'the name of the conversation',
};

const OF_ALL: Readonly<Record<SearchField, string>> = {
  question: 'questions',
  answer: 'answers with their sources, cited passages and proposed questions',
  code: 'code',
  table: 'the first rows of tables',
  file: 'names of tables and images',
  name: 'names of conversations',
};

/** What no search looks at. */
export const NEVER_SEARCHED = [
  'what is in images and in linked files',
  'titles of steps on the way to an answer',
  'ids',
  'data of other parts such as tasks',
];

/** Where nothing marks the word: the field is more than the text that people call the answer. */
const ANSWER_WHOLE = 'the answer with its sources, cited passages and proposed questions';

export function bitOfField(field: SearchField): number {
  return 1 << SEARCH_FIELDS.indexOf(field);
}

/** @param bits as `bitOfField` gives them */
export function fieldsOf(bits: number): SearchField[] {
  return SEARCH_FIELDS.filter((field) => (bits & bitOfField(field)) !== 0);
}

/** `the answer`: where the words of a hit stand, of which a mark shows more. */
export function hitFieldText(field: SearchField): string {
  return OF_A_HIT[field];
}

/**
 * `the question, a table (“costs.csv”)`: where the words of a hit stand.
 *
 * @param tables names of those in which they do, where they are known
 */
export function matchedText(
  fields: readonly SearchField[],
  tables: readonly string[] = [],
): string {
  const named = tables.length === 0 ? '' : ` (${tables.map((name) => `“${name}”`).join(', ')})`;
  return fields
    .map((field) => {
      if (field === 'answer') return ANSWER_WHOLE;
      return field === 'table' ? OF_A_HIT.table + named : OF_A_HIT[field];
    })
    .join(', ');
}

/** `questions, names of conversations`: where a search looked. */
export function searchedText(fields: readonly SearchField[]): string {
  return fields.map((field) => OF_ALL[field]).join(', ');
}
