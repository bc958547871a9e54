/**
 * Reads the Delta tables of a simulated archive as any reader of Delta does, from the objects of their logs alone, and
 * compares what the newest version says with the commits. Shares no code with the writer.
 */
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import type { ArchiveView } from './archive-view.js';

const OBJECT =
  /^tables\/(\w+)\/_delta_log\/(?:(\d{20})\.(json|checkpoint\.parquet)|_last_checkpoint)$/;

/** Rows by path, relative to the table. */
type Files = ReadonlyMap<string, number>;

interface Version {
  readonly commit: number;
  readonly added: Files;
  readonly removed: readonly string[];
}

interface DeltaObjects {
  readonly versions: Map<number, Uint8Array>;
  readonly checkpoints: Map<number, Uint8Array>;
  pointer: Uint8Array | undefined;
}

interface Action {
  readonly commitInfo?: { readonly operationParameters: { readonly commit: string } };
  readonly add?: { readonly path: string; readonly stats: string };
  readonly remove?: { readonly path: string };
}

const versionsRead = new WeakMap<Uint8Array, Version>();
const checkpointsRead = new WeakMap<Uint8Array, Files>();

/** The table whose Delta log or part file the path names. */
export function deltaTableOf(path: string): string | undefined {
  return /^tables\/(\w+)\//.exec(path)?.[1];
}

/**
 * What a reader of the newest version would find wrong: a version that is missing, other files than those of its
 * commit, or a file that is gone. Undefined also of a table without a Delta log.
 *
 * @param at the newest commit, where the version must be that of the last one that touches the table
 */
export function deltaFault(view: ArchiveView, table: string, at?: 'head'): string | undefined {
  const objects = deltaObjectsOf(view, table);
  const newest = Math.max(-1, ...objects.versions.keys());
  if (newest < 0) {
    const isLate = at === 'head' && filesAsOf(view, table, Infinity).size > 0;
    return isLate ? `${table} has no version` : undefined;
  }
  const checkpoint = [...objects.checkpoints.keys()].reduce(
    (most, version) => (version <= newest ? Math.max(most, version) : most),
    -1,
  );
  const files = new Map(checkpoint < 0 ? [] : filesOf(objects.checkpoints.get(checkpoint)!));
  for (let number = checkpoint + 1; number <= newest; number++) {
    const version = versionOf(objects.versions.get(number));
    if (!version) return `${table} has no version ${number}, and has ${newest}`;
    for (const path of version.removed) files.delete(path);
    for (const [path, rows] of version.added) files.set(path, rows);
  }
  const pointer = objects.pointer && pointed(objects.pointer);
  if (pointer !== undefined && !objects.checkpoints.has(pointer)) {
    return `${table} has no checkpoint ${pointer}, which is named as its last one`;
  }
  // a version that stands beside the checkpoint of an erasure is from before it
  const last = versionOf(objects.versions.get(newest))!;
  const commit = at === 'head' ? Infinity : last.commit;
  if (last.commit > view.newest) return `${table} has a version of no commit, ${last.commit}`;
  const wanted = filesAsOf(view, table, commit);
  if (textOf(files) !== textOf(wanted)) {
    return `${table} version ${newest} has ${textOf(files)}; commit ${commit}: ${textOf(wanted)}`;
  }
  const old = at === 'head' ? fromBeforeErasure(view, table, objects) : undefined;
  if (old !== undefined) return `${table} has version ${old} from before an erasure`;
  const gone = [...files.keys()].find((path) => !view.objects.has(`tables/${table}/${path}`));
  return gone === undefined ? undefined : `${table} version ${newest} names ${gone}, which is gone`;
}

/** A version or checkpoint that is older than the newest erasure in the table. */
function fromBeforeErasure(
  { commits }: ArchiveView,
  table: string,
  { versions, checkpoints }: DeltaObjects,
): number | undefined {
  const isOfTable = (path: string): boolean => path.startsWith(`tables/${table}/`);
  const last = commits.findLast(({ kind, removed }) => kind === 'erase' && removed.some(isOfTable));
  const receipt = [...versions].find(([, bytes]) => versionOf(bytes)?.commit === last?.number);
  const oldest = receipt?.[0] ?? 0;
  return [...versions.keys(), ...checkpoints.keys()].find((version) => version < oldest);
}

/** All tables that have part files or a Delta log. */
export function deltaFaults(view: ArchiveView, at?: 'head'): string[] {
  const tables = new Set([...view.objects.keys()].flatMap((path) => deltaTableOf(path) ?? []));
  return [...tables].flatMap((table) => deltaFault(view, table, at) ?? []);
}

function deltaObjectsOf({ objects }: ArchiveView, table: string): DeltaObjects {
  const found: DeltaObjects = { versions: new Map(), checkpoints: new Map(), pointer: undefined };
  const prefix = `tables/${table}/_delta_log/`;
  for (const [path, bytes] of objects) {
    if (!path.startsWith(prefix)) continue;
    const [, , digits, extension] = OBJECT.exec(path) ?? [];
    if (digits === undefined) found.pointer = bytes;
    else if (extension === 'json') found.versions.set(Number(digits), bytes);
    else found.checkpoints.set(Number(digits), bytes);
  }
  return found;
}

/** By the commits alone. */
function filesAsOf({ commits }: ArchiveView, table: string, through: number): Files {
  const prefix = `tables/${table}/`;
  const files = new Map<string, number>();
  for (const { number, files: added, removed } of commits) {
    if (number > through) break;
    for (const path of removed) {
      if (path.startsWith(prefix)) files.delete(path.slice(prefix.length));
    }
    for (const file of added) {
      if (file.table === table) files.set(file.path.slice(prefix.length), file.rows);
    }
  }
  return files;
}

function versionOf(bytes: Uint8Array | undefined): Version | undefined {
  if (!bytes) return undefined;
  let version = versionsRead.get(bytes);
  if (!version) {
    const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
    const actions = lines.map((line) => JSON.parse(line) as Action);
    const [info] = actions.flatMap(({ commitInfo }) => commitInfo ?? []);
    const adds = actions.flatMap(({ add }) => add ?? []);
    version = {
      commit: Number(info?.operationParameters.commit),
      added: new Map(adds.map(({ path, stats }) => [decodeURI(path), rowsIn(stats)])),
      removed: actions.flatMap(({ remove }) => (remove ? [decodeURI(remove.path)] : [])),
    };
    versionsRead.set(bytes, version);
  }
  return version;
}

/** Of a checkpoint: what its `add` actions say. */
function filesOf(bytes: Uint8Array): Files {
  let files = checkpointsRead.get(bytes);
  if (!files) {
    const paths = columnOf(bytes, ['add', 'path']);
    const stats = columnOf(bytes, ['add', 'stats']);
    files = new Map(
      paths.flatMap((path, at) =>
        typeof path === 'string' ? [[decodeURI(path), rowsIn(String(stats[at]))] as const] : [],
      ),
    );
    checkpointsRead.set(bytes, files);
  }
  return files;
}

/** Without a wait, in which other steps could happen. */
function columnOf(bytes: Uint8Array, path: readonly string[]): unknown[] {
  const whole = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(whole);
  const schemaPath = getTreePath(parquetSchema(metadata), [...path]);
  const cells: unknown[] = [];
  for (const { columns, num_rows: rows } of metadata.row_groups) {
    const column = columns.find(({ meta_data: of }) => of?.path_in_schema.join() === path.join());
    const of = column?.meta_data;
    if (!of) throw new Error(`the checkpoint has no column ${path.join('.')}`);
    const start = Number(of.dictionary_page_offset ?? of.data_page_offset);
    const view = new DataView(whole, start, Number(of.total_compressed_size));
    const count = Number(rows);
    const { data } = readColumn(
      { view, offset: 0 },
      { groupStart: 0, selectStart: 0, selectEnd: count, groupRows: count },
      {
        pathInSchema: of.path_in_schema,
        element: schemaPath.at(-1)!.element,
        schemaPath,
        parsers: DEFAULT_PARSERS,
        ...of,
      },
    );
    // a member of a group comes as a list of one, or of none
    for (const chunk of data) cells.push(...Array.from(chunk, (of) => (of as unknown[])[0]));
  }
  return cells;
}

function pointed(bytes: Uint8Array): number {
  return (JSON.parse(Buffer.from(bytes).toString()) as { readonly version: number }).version;
}

function rowsIn(stats: string): number {
  return (JSON.parse(stats) as { readonly numRecords: number }).numRecords;
}

function textOf(files: Files): string {
  return JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
