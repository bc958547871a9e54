/** The entries of a list of sources or questions, in the forms in which they come: a list as a rule, or one entry alone. */
import { asObject } from '../records.js';

/** None of null, or of a text without a character. */
export function entriesOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === null || content === undefined || content === '' ? [] : [content];
}

/** As the service documents a question. */
export function isQuestionEntry(entry: unknown): entry is string | null {
  return typeof entry === 'string' || entry === null;
}

/** As the service documents a source. */
export function isSourceEntry(entry: unknown): entry is object | null {
  return entry === null || asObject(entry) !== undefined;
}

const QUESTION_MEMBERS = ['question', 'text', 'content', 'title', 'value'];

/** The text of a question, also of one that is an object; undefined of anything else. */
export function questionText(entry: unknown): string | null | undefined {
  if (isQuestionEntry(entry)) return entry;
  const fields = asObject(entry);
  const name = QUESTION_MEMBERS.find((member) => typeof fields?.[member] === 'string');
  return name === undefined ? undefined : (fields?.[name] as string);
}

/** The members of a source, also of one that is its name alone; undefined of anything else. */
export function sourceFields(entry: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof entry === 'string' ? { source: entry } : asObject(entry);
}
