/** Reads pages and single records from answers: tolerant of other fields, strict about ids. */
import { Mutex } from '../base/concurrently.js';
import type { BareNumber } from '../base/text/bare-numbers.js';
import { asObject, type JsonObject, type Verbatim } from '../model/records.js';
import { memberOf, outlineOf, type JsonNode } from '../model/json-outline.js';
import { nestsDeeper, pathAt, objectMembers, spanAt } from '../model/json-parts.js';
import { type Success } from './parse-response.js';
import { wholeNumber } from './envelope.js';
import { UnusableAnswerError } from './service-errors.js';
import type { Page, PageRequest, UnusableRecord } from './service-client.js';

const DEFAULT_PAGE_NUMBER = 1;
const DEFAULT_PAGE_SIZE = 10;
/** Characters that are quoted from an answer. */
const LONGEST_ECHO = 40;
const LONGEST_ID = 100;
/** Hashing and canonical JSON are recursive, and the stack allows about a thousand levels. */
const DEEPEST = 200;
/** The answer, its data, and the list of records. */
const PAGE_LEVELS = 3;

type Redact = Success['facts']['redact'];

/** The requirements on a record. */
export interface Expected {
  /** The field that every record must have, with a unique value. */
  readonly idField: 'id' | 'job_id';
  /** The session whose history was requested; a record that names another session does not belong to it. */
  readonly sessionId?: string | undefined;
}

/**
 * An unusable record does not affect its page or the other records.
 *
 * @throws {UnusableAnswerError} there is no list of records, or it is of another session
 */
export function readPage<T extends JsonObject>(
  success: Success,
  asked: PageRequest,
  expected: Expected,
): Page<T> {
  const data = dataIn(success);
  const { text, served } = success.answer;
  const { redact } = success.facts;
  const wanted = { ...expected, redact };
  const pageNumber = asked.pageNumber ?? DEFAULT_PAGE_NUMBER;
  const statedSize = atLeastOne(data['page_size']);
  const pageSize = statedSize ?? asked.pageSize ?? DEFAULT_PAGE_SIZE;
  const totalItems = notNegative(data['total_items']);
  // a list without elements is null in some languages: it is one where no record is promised
  const isNone =
    data['records'] === null && (totalItems ?? Infinity) <= (pageNumber - 1) * pageSize;
  const values = isNone ? [] : data['records'];
  const outline = outlineOf(text, PAGE_LEVELS);
  const said = memberOf(outline.root, 'data');
  const nodes = isNone ? [] : memberOf(said, 'records')?.elements;
  if (!Array.isArray(values) || !nodes) throw unusable(success, 'the page has no list of records');
  assertNumbers(success, nodes);
  const twice = saidTwice(outline.root, ENVELOPE_KEYS) ?? saidTwice(said, PAGE_KEYS);
  if (twice !== undefined) throw unusable(success, `the page says its ${twice} twice`);
  if (isOfAnother(data, expected)) throw unusable(success, 'the page is of another session');
  const records: Verbatim<T>[] = [];
  const others: UnusableRecord[] = [];
  const isFlat = outline.deepest <= PAGE_LEVELS + DEEPEST;
  for (const [index, { start, end }] of nodes.entries()) {
    const value = (values as readonly unknown[])[index];
    const element = { value, text: text.slice(start, end) };
    const bare = success.bareNumbers.find(({ at }) => at >= start && at < end);
    const read = readRecord<T>(element, wanted, {
      isFlat,
      bare: bare && { ...bare, at: bare.at - start },
    });
    if (typeof read === 'string') others.push({ index, reason: read });
    else records.push(read);
  }
  return {
    pageNumber,
    pageSize,
    isSizeStated: statedSize !== undefined,
    totalItems,
    records,
    unusable: others,
    fault: numberFault(data['page_number'], pageNumber, redact),
    served,
  };
}

const ENVELOPE_KEYS = ['code', 'data'] as const;
const PAGE_KEYS = ['records', 'total_items'] as const;

/** JSON.parse takes the last of two members of one name, and nothing shows that this is the one that counts. */
function saidTwice(node: JsonNode | undefined, keys: readonly string[]): string | undefined {
  return keys.find(
    (key) => node?.members && node.members.filter((member) => member.key === key).length > 1,
  );
}

/** If the page number differs from the requested one, the position of the page is unknown. */
function numberFault(echoed: unknown, asked: number, redact: Redact): string | undefined {
  if (echoed === undefined || echoed === null || wholeNumber(echoed) === asked) return undefined;
  const echo = redact(JSON.stringify(echoed)).slice(0, LONGEST_ECHO);
  return `page ${asked} was requested, but the answer is page ${echo}`;
}

/**
 * The answer's `data` as one record.
 *
 * @param id the requested id; undefined for a new resource
 * @throws {UnusableAnswerError} it has no usable id, or is another resource
 */
export function readSingle<T extends JsonObject & { readonly id: string }>(
  success: Success,
  id?: string,
): Verbatim<T> {
  const value = dataOf(success);
  const span = spanAt(success.answer.text, ['data']) ?? { start: 0, end: 0 };
  const text = success.answer.text.slice(span.start, span.end);
  const { redact } = success.facts;
  const read = readRecord<T>({ value, text }, { idField: 'id', redact });
  if (typeof read === 'string') throw unusable(success, `the answer ${read}`);
  if (id !== undefined && read.value.id !== id) {
    throw unusable(
      success,
      `${shownId(id, redact)} was requested, but the answer is about ${shownId(read.value.id, redact)}`,
    );
  }
  return read;
}

/** The id of the created resource. @throws {UnusableAnswerError} there is none */
export function readCreatedId(success: Success): string {
  return readSingle<{ readonly id: string }>(success).value.id;
}

/** @throws {UnusableAnswerError} there is none, or a number in the answer is none */
export function dataOf(success: Success): JsonObject {
  assertNumbers(success);
  return dataIn(success);
}

/** @param records where such numbers are of a record, which is told by itself */
function assertNumbers(success: Success, records: readonly JsonNode[] = []): void {
  const { answer, bareNumbers } = success;
  const bare = bareNumbers.find(
    ({ at }) => !records.some(({ start, end }) => at >= start && at < end),
  );
  if (!bare) return;
  throw unusable(success, `the answer has ${placeOfBare(answer.text, bare, success.facts.redact)}`);
}

/** `NaN at answer.blocks[0].content.value, which is no number of JSON`. */
function placeOfBare(text: string, { at, written }: BareNumber, redact: Redact): string {
  return `${written} at ${shownText(pathAt(text, at), redact)}, which is no number of JSON`;
}

function dataIn(success: Success): JsonObject {
  const data = asObject(success.data);
  if (!data) throw unusable(success, 'the answer has no data');
  return data;
}

export function unusable(success: Success, what: string): UnusableAnswerError {
  return new UnusableAnswerError(what, success.facts);
}

interface RecordFacts {
  /** Whether it is known that nothing in the record is nested too deeply. */
  readonly isFlat?: boolean;
  /** A number in it that is no JSON, by its place in the record. */
  readonly bare?: BareNumber | undefined;
}

/**
 * The record, or the reason why it is unusable: `has no usable id`.
 */
function readRecord<T extends JsonObject>(
  { value, text }: Verbatim<unknown>,
  expected: Expected & { readonly redact: Redact },
  { isFlat = false, bare }: RecordFacts = {},
): Verbatim<T> | string {
  const { idField, redact } = expected;
  const record = asObject(value);
  if (!record) return 'is not an object';
  const id = record[idField];
  const usable = typeof id === 'number' ? digitsOf(text, idField) : id;
  if (typeof usable !== 'string' || usable === '') return `has no usable ${idField}`;
  // neither a path nor a table can have half a surrogate pair
  if (!usable.isWellFormed())
    return `has the ${idField} ${shownId(usable, redact)}, which is not valid text`;
  if (isOfAnother(record, expected)) return `(${shownId(usable, redact)}) is of another session`;
  if (!isFlat && nestsDeeper(text, DEEPEST)) {
    return `(${shownId(usable, redact)}) is nested more than ${DEEPEST} levels deep, which is not archived in any form`;
  }
  if (bare) return `(${shownId(usable, redact)}) has ${placeOfBare(text, bare, redact)}`;
  return { value: (usable === id ? record : { ...record, [idField]: usable }) as T, text };
}

/** The interface documents no such field; if the answer has one, it must not name another session. */
function isOfAnother(object: JsonObject, { sessionId }: Expected): boolean {
  const named = object['session_id'];
  return sessionId !== undefined && typeof named === 'string' && named !== sessionId;
}

/** The digits of a number as sent: beyond 2^53 the parsed value has others. */
function digitsOf(text: string, field: string): string | undefined {
  const span = objectMembers(text).get(field);
  const digits = span && text.slice(span.start, span.end);
  return digits !== undefined && /^\d\d*$/.test(digits) ? digits : undefined;
}

/** An id from an answer, for messages: it may contain anything. Redacted before it is cut: half a secret looks like none. */
function shownId(id: string, redact: Redact): string {
  return JSON.stringify(shownText(id, redact));
}

function shownText(text: string, redact: Redact): string {
  const shown = redact(text);
  return shown.length > LONGEST_ID ? `${shown.slice(0, LONGEST_ID)}…` : shown;
}

function atLeastOne(value: unknown): number | undefined {
  const number = wholeNumber(value);
  return number !== null && number >= 1 ? number : undefined;
}

function notNegative(value: unknown): number | null {
  const number = wholeNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** The interface's default page size: no service grants less. */
export const LEAST_GRANTED = 10;

/** The page size that the service grants; shared by all listings of a run. */
export class PageGrant {
  /** The largest page size that the service grants, as far as known. */
  size: number;
  /** The service refused a size below the largest, so pages cannot overlap. */
  alignedPagesOnly = false;
  /** Whether `total_items` counts the whole listing; undefined until an answer shows it. */
  totalsAreGlobal: boolean | undefined;
  /** Lets one caller ask first what totals count: then all know. */
  readonly oneAtATime = new Mutex();

  /** @param trustsShortPages whether a page that no service cuts is whole if its total says so */
  constructor(
    wantedSize: number,
    readonly trustsShortPages = true,
  ) {
    this.size = wantedSize;
  }

  /** The next smaller size after a refusal; undefined if there is none. */
  static smaller(size: number): number | undefined {
    return [100, 50, 20, 10, 1].find((candidate) => candidate < size);
  }
}
