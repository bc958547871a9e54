/** Reads pages and single records out of answers: tolerant of fields, strict about what a record is known by. */
import { asObject, type JsonObject, type Verbatim } from '../model/records.js';
import { arrayElements, objectMembers, spanAt } from '../model/json-spans.js';
import { wholeNumber } from './envelope.js';
import { MalformedResponseError } from './errors/malformed-response-error.js';
import type { Success } from './judge.js';
import type { Page, PageRequest } from './service-client.js';

const DEFAULT_PAGE_NUMBER = 1;
const DEFAULT_PAGE_SIZE = 10;

/**
 * @param idField the field that every record must have, and that no two things share
 * @throws {MalformedResponseError} no records, or one without a usable id: the whole page is in doubt
 */
export function readPage<T extends JsonObject>(
  success: Success,
  asked: PageRequest,
  idField: 'id' | 'job_id',
): Page<T> {
  const data = dataOf(success);
  const { text, served } = success.answer;
  const records = data['records'];
  const span = spanAt(text, ['data', 'records']);
  if (!Array.isArray(records) || !span) throw malformed(success, 'the page has no list of records');
  const spans = arrayElements(text, span.start);
  return {
    pageNumber: atLeastOne(data['page_number']) ?? asked.pageNumber ?? DEFAULT_PAGE_NUMBER,
    pageSize: atLeastOne(data['page_size']) ?? asked.pageSize ?? DEFAULT_PAGE_SIZE,
    totalItems: notNegative(data['total_items']),
    records: spans.map(({ start, end }, index) =>
      readRecord<T>(success, {
        value: (records as readonly unknown[])[index],
        text: text.slice(start, end),
        idField,
        where: `record ${index + 1} of the page`,
      }),
    ),
    served,
  };
}

/** The answer's `data` as one record. @throws {MalformedResponseError} it has no usable id */
export function readSingle<T extends JsonObject>(success: Success): Verbatim<T> {
  const value = dataOf(success);
  const span = spanAt(success.answer.text, ['data']) ?? { start: 0, end: 0 };
  const text = success.answer.text.slice(span.start, span.end);
  return readRecord<T>(success, { value, text, idField: 'id', where: 'the answer' });
}

/** The id of what was created. @throws {MalformedResponseError} there is none */
export function readCreatedId(success: Success): string {
  return readSingle<{ readonly id: string }>(success).value.id;
}

/** @throws {MalformedResponseError} there is none */
export function dataOf(success: Success): JsonObject {
  const data = asObject(success.data);
  if (!data) throw malformed(success, 'the answer has no data');
  return data;
}

export function malformed(success: Success, what: string): MalformedResponseError {
  return new MalformedResponseError(what, { ...success.facts, patience: 'brief' });
}

interface Candidate {
  readonly value: unknown;
  readonly text: string;
  readonly idField: 'id' | 'job_id';
  readonly where: string;
}

function readRecord<T extends JsonObject>(success: Success, candidate: Candidate): Verbatim<T> {
  const { value, text, idField, where } = candidate;
  const record = asObject(value);
  if (!record) throw malformed(success, `${where} is no object`);
  const id = record[idField];
  if (typeof id === 'string' && id !== '') return { value: record as T, text };
  const digits = typeof id === 'number' ? digitsOf(text, idField) : undefined;
  if (digits === undefined) throw malformed(success, `${where} has no usable ${idField}`);
  return { value: { ...record, [idField]: digits } as T, text };
}

/** A number's own digits: beyond 2^53 the parsed value has others. */
function digitsOf(text: string, field: string): string | undefined {
  const span = objectMembers(text).get(field);
  const digits = span && text.slice(span.start, span.end);
  return digits !== undefined && /^\d+$/.test(digits) ? digits : undefined;
}

function atLeastOne(value: unknown): number | undefined {
  const number = wholeNumber(value);
  return number !== null && number >= 1 ? number : undefined;
}

function notNegative(value: unknown): number | null {
  const number = wholeNumber(value);
  return number !== null && number >= 0 ? number : null;
}
