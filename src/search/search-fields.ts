/** Where a search looks, in words, and what it does not look at. Every output that searches says so from here. */

/** In the order of the bits that say in which of them a job was found. */
export const SEARCH_FIELDS = ['question', 'answer', 'code', 'table', 'name'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

const OF_A_HIT: Readonly<Record<SearchField, string>> = {
  question: 'the question',
  answer: 'the answer',
  code: 'code',
  table: 'the name of a table or image',
  name: 'the name of the session',
};

const OF_ALL: Readonly<Record<SearchField, string>> = {
  question: 'questions',
  answer: 'answers with their sources, cited passages and proposed questions',
  code: 'code',
  table: 'names of tables and images',
  name: 'names of sessions',
};

/** What no search looks at. */
const NEVER = [
  'what is in tables and images',
  'names of steps',
  'ids',
  'blocks of types that jobvault does not know',
];

export function bitOfField(field: SearchField): number {
  return 1 << SEARCH_FIELDS.indexOf(field);
}

/** @param bits as `bitOfField` gives them */
export function fieldsOf(bits: number): SearchField[] {
  return SEARCH_FIELDS.filter((field) => (bits & bitOfField(field)) !== 0);
}

/** `the question, the name of the session`: where the words of a hit stand. */
export function matchedText(fields: readonly SearchField[]): string {
  return fields.map((field) => OF_A_HIT[field]).join(', ');
}

/** `questions, names of sessions`: where a search looked. */
export function searchedText(fields: readonly SearchField[]): string {
  return fields.map((field) => OF_ALL[field]).join(', ');
}

/** What a search for words does not look at. @param fields where it looks */
export function notSearchedText(fields: readonly SearchField[]): string {
  const others = SEARCH_FIELDS.filter((field) => !fields.includes(field));
  return [...others.map((field) => OF_ALL[field]), ...NEVER].join(', ');
}
