/** The twelve operations over what is archived: those that read answer from the archive, the six that write are refused. */
import {
  type ApiCall,
  type ApiContext,
  type Handler,
  type Handlers,
  refusals,
} from '../emulator/api/api-call.js';
import { grantedPage, inputOf, pageText } from '../emulator/api/page.js';
import {
  OPERATION_NAMES,
  type OperationName,
  type ReadingOperationName,
} from '../model/operations.js';
import { parseJson } from '../base/text/parse-json.js';
import { objectMembers } from '../model/json-parts.js';
import { fieldColumns, type Row, type TableSchema } from '../model/table-schema.js';
import { datasetsTable, sessionsTable } from '../model/tables.js';
import type { ArchivedSessions, ServedSession, ArchivedRecord } from './archived-sessions.js';
import { type PageSigner } from '../emulator/files/url-signer.js';
import { sha256Hex } from '../base/digest.js';
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import { isDataUrl } from '../model/blocks/file-members.js';
import { isWebUrl } from '../model/urls/file-url.js';
import { maskedStrings } from '../model/mask-secrets.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import { parseTimestamp } from '../model/times/timestamp.js';

/** After the mark in a key whose file is not archived. */
const NOT_ARCHIVED = 'not-archived';
const EXPIRY_BEFORE = /"expires_at"\s*:\s*$/;

export function verbatimJob(text: string): Verbatim<JobRecord> {
  return { value: parseJson(text) as JobRecord, text };
}

/** The key of a file in the URLs of this server: two URLs of the archive become one only if both lead to the same file. */
function servedKey(url: string, path: string = NOT_ARCHIVED): string {
  // what a client expects of a file depends on its name
  const name = /([\w.-]*)\/?$/.exec(shownFileUrl(url.trim()))?.[1] ?? '';
  return `${markOf(url)}/${path}/${name === '' ? 'file' : name}`;
}

/** Stands for a URL without its query. */
export function markOf(url: string): string {
  return sha256Hex(shownFileUrl(url.trim())).slice(0, 16);
}

/** The path in a key of `servedKey`; undefined if the file is not archived. */
export function archivedPathOf(key: string): string | undefined {
  const path = key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'));
  return path === NOT_ARCHIVED ? undefined : path;
}

/** Everything else stays as it was, to the byte. */
function servedRecord({ text, files }: ArchivedRecord, page: PageSigner): string {
  const urls = new Map<string, string>();
  for (const reference of fileReferences(verbatimJob(text))) {
    const served = servedUrlOf(reference, files, page);
    if (reference.url !== null && served !== undefined && !urls.has(reference.url))
      urls.set(reference.url, served);
  }
  if (urls.size === 0) return text;
  // a longer URL may begin with a shorter one
  const inTexts = [...urls]
    .filter(([url]) => isWebUrl(url))
    .flatMap(([url, served]) => [
      [url.trim(), served] as const,
      [url.trim().replaceAll('&', '&amp;'), served] as const,
    ])
    .sort(([a], [b]) => b.length - a.length);
  const clean = (value: string): string => {
    const whole = urls.get(value);
    if (whole !== undefined) return whole;
    if (isJsonIn(value)) return maskedStrings(value, () => clean);
    if (!value.includes('://')) return value;
    return inTexts.reduce((changed, [url, served]) => changed.replaceAll(url, () => served), value);
  };
  return maskedStrings(text, (json, at) =>
    EXPIRY_BEFORE.test(json.slice(Math.max(0, at - 40), at))
      ? (value) => (parseTimestamp(value) === undefined ? value : page.expiresAt)
      : clean,
  );
}

function servedUrlOf(
  reference: FileReference,
  files: ReadonlyMap<string, string>,
  page: PageSigner,
): string | undefined {
  const { url, unfetched } = reference;
  if (url === null || unfetched !== null || isDataUrl(url)) return undefined;
  const path = files.get(placeKey(reference));
  // a bare storage key that leads nowhere stays what it is
  if (path === undefined && !isWebUrl(url)) return undefined;
  return page.url(servedKey(url, path));
}

/** An object or a list that is sent as a text. */
function isJsonIn(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !text.includes('"')) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** @param assertCurrent before each answer that reads */
export function archiveHandlers(
  archived: ArchivedSessions,
  assertCurrent: () => Promise<void>,
): Handlers {
  const reading: Partial<Handlers> = readingHandlers(archived);
  const refuse: Handler = () => {
    throw refusals.noPermission('this is an archive: it can be read, not changed');
  };
  const handlerOf = (name: OperationName): Handler => {
    const read = reading[name];
    if (!read) return refuse;
    return async (call, context) => {
      await assertCurrent();
      return read(call, context);
    };
  };
  return Object.fromEntries(
    OPERATION_NAMES.map((name) => [name, handlerOf(name)]),
  ) as unknown as Handlers;
}

function readingHandlers(archived: ArchivedSessions): Pick<Handlers, ReadingOperationName> {
  return {
    listSessions({ userId, input }, context) {
      const { search, ...asked } = inputOf('listSessions', input, context);
      const page = grantedPage(asked, context);
      const all = [...(archived.users.get(userId)?.values() ?? [])];
      const found = search ? all.filter((session) => nameOf(session).includes(search)) : all;
      return pageText(found, page, context, sessionText);
    },
    getSession: (call) => sessionText(sessionOf(archived, call)),
    getHistory: (call, context) => history(archived, call, context),
    listDatasets({ input }, context) {
      const { search, ...asked } = inputOf('listDatasets', input, context);
      const page = grantedPage(asked, context);
      const all = [...archived.datasets.values()];
      const found = search
        ? all.filter((row) => `${text(row, 'name')}\n${text(row, 'description')}`.includes(search))
        : all;
      return pageText(found, page, context, (row) => datasetText(row, 'listed'));
    },
    getDatasetOverview: (call) => datasetText(datasetOf(archived, call), 'overview'),
    getDatasetStatus: (call) => datasetText(datasetOf(archived, call), 'status'),
  };
}

async function history(
  archived: ArchivedSessions,
  call: ApiCall,
  context: ApiContext,
): Promise<string> {
  const page = grantedPage(inputOf('getHistory', call.input, context), context);
  const jobs = [...sessionOf(archived, call).jobs.values()];
  const start = (page.pageNumber - 1) * page.pageSize;
  const texts = new Map<(typeof jobs)[number], string>();
  const signed = context.signer.signerOfOnePage();
  for (const job of jobs.slice(start, start + page.pageSize)) {
    const record = await archived.record(job);
    if (record) texts.set(job, servedRecord(record, signed));
  }
  return pageText(jobs, page, context, (job) => texts.get(job) ?? '{}');
}

/** The session of another user is forbidden; any other is not found. */
function sessionOf(archived: ArchivedSessions, { userId, pathId }: ApiCall): ServedSession {
  const session = archived.users.get(userId)?.get(pathId);
  if (session) return session;
  if (archived.isOfAnother(userId, pathId)) {
    throw refusals.noPermission('the session belongs to another user');
  }
  throw refusals.notFound('the session');
}

function datasetOf(archived: ArchivedSessions, { pathId }: ApiCall): Row {
  const dataset = archived.datasets.get(pathId);
  if (!dataset) throw refusals.notFound('the dataset');
  return dataset;
}

const nameOf = ({ row }: ServedSession): string => text(row ?? {}, 'name');

function sessionText({ id, row }: ServedSession): string {
  const known = members(row ?? {}, sessionsTable);
  const name = known.some((member) => member.startsWith('"name"')) ? [] : ['"name":""'];
  // an unread session has no name, and the interface promises one
  const extra = membersOf(row?.['extra_json']);
  const hasName = extra.some((member) => member.startsWith('"name"'));
  return objectText([`"id":${JSON.stringify(id)}`, ...(hasName ? [] : name), ...known, ...extra]);
}

type DatasetAnswer = 'listed' | 'overview' | 'status';

function datasetText(row: Row, answer: DatasetAnswer): string {
  const id = answer === 'status' ? [] : [`"id":${JSON.stringify(row['dataset_id'])}`];
  const known = members(row, datasetsTable, answer);
  const { extra_json: extra } = row;
  const all = typeof extra === 'string' ? extra : '{}';
  const span = objectMembers(all).get(answer);
  const beyond = span ? membersOf(all.slice(span.start, span.end)) : [];
  return objectText([...id, ...known, ...beyond]);
}

/** The columns that are fields, as members of JSON; none where one is null: the service did not send it, or it stands in `extra_json`. */
function members(row: Row, table: TableSchema, answer?: DatasetAnswer): string[] {
  return fieldColumns(table, answer).flatMap(({ name, field, isKey, isJson }) => {
    const value = row[name] ?? null;
    if (value === null || isKey) return [];
    return [`"${field}":${isJson ? String(value) : JSON.stringify(value)}`];
  });
}

/** The members of a JSON object, verbatim. */
function membersOf(json: unknown): string[] {
  if (typeof json !== 'string') return [];
  return [...objectMembers(json)].map(
    ([name, { start, end }]) => `${JSON.stringify(name)}:${json.slice(start, end)}`,
  );
}

function objectText(members: readonly string[]): string {
  const json = `{${members.join(',')}}`;
  parseJson(json);
  return json;
}

function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}
