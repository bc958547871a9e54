/** The actions of a Delta log, and the bytes of its objects (Delta's protocol: reader version 1, writer version 2). */
import { sha256Hex } from '../../base/digest.js';
import { nestedParquet, type NestedField } from '../../formats/parquet/nested-parquet.js';
import type { Column, ColumnType } from '../../model/table-schema.js';
import type { ArchiveIdentity } from '../identity.js';
import type { CommitKind } from '../log/commit-kinds.js';
import { partitionOf } from '../paths.js';
import type { DeltaFile, RemovedFile, TableHistory } from './table-history.js';

const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 } as const;

const TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'string',
  int32: 'integer',
  int64: 'long',
  bool: 'boolean',
  ts: 'timestamp',
};

/** What the commit info calls each kind of commit. */
const OPERATIONS: Partial<Readonly<Record<CommitKind, string>>> = {
  compact: 'OPTIMIZE',
  erase: 'DELETE',
};

export type DeltaArchive = Pick<ArchiveIdentity, 'id'>;

/** The object of a version: a line of JSON for each action. */
export function versionBytes(
  archive: DeltaArchive,
  history: TableHistory,
  version: number,
): Buffer {
  const { commit, added, removed, columns } = history.version(version);
  const { number, atMs: timestamp, kind } = commit;
  const operation = OPERATIONS[kind] ?? 'WRITE';
  const operationParameters = { commit: String(number), kind };
  const dataChange = kind !== 'compact';
  const actions = [
    { commitInfo: { timestamp, operation, operationParameters, engineInfo: 'jobvault' } },
    ...(version === 0 ? [{ protocol: PROTOCOL }] : []),
    ...(columns ? [{ metaData: metaDataOf(archive, history, columns) }] : []),
    ...removed.map((file) => ({ remove: removeOf({ file, atMs: timestamp }, dataChange) })),
    ...added.map((file) => ({ add: addOf({ file, atMs: timestamp }, dataChange) })),
  ];
  return Buffer.from(actions.map((action) => `${JSON.stringify(action)}\n`).join(''));
}

/** The object of a checkpoint: all actions that the version and those before it leave. */
export function checkpointBytes(
  archive: DeltaArchive,
  history: TableHistory,
  version: number,
): Promise<Uint8Array> {
  const { columns, files, tombstones } = history.stateAt(version);
  const metaData = metaDataOf(archive, history, columns);
  return nestedParquet('checkpoint', CHECKPOINT_FIELDS, [
    { protocol: PROTOCOL },
    { metaData: { ...metaData, createdTime: BigInt(metaData.createdTime) } },
    ...files.map((file) => ({ add: withLongs(addOf(file, false)) })),
    ...tombstones.map((tombstone) => ({ remove: withLongs(removeOf(tombstone, false)) })),
  ]);
}

/** The object that names a checkpoint. */
export function pointerBytes(history: TableHistory, version: number): Buffer {
  const { files, tombstones } = history.stateAt(version);
  const size = 2 + files.length + tombstones.length;
  return Buffer.from(`${JSON.stringify({ version, size, numOfAddFiles: files.length })}\n`);
}

function metaDataOf({ id }: DeltaArchive, history: TableHistory, columns: readonly Column[]) {
  const { name } = history.table;
  return {
    id: uuidOf(`${id} ${name}`),
    name,
    format: { provider: 'parquet', options: {} },
    schemaString: schemaString(columns),
    partitionColumns: ['dt'],
    configuration: {},
    createdTime: history.createdMs,
  };
}

/** The columns in order, and last the partition's. */
function schemaString(columns: readonly Column[]): string {
  const field = (name: string, type: string, nullable: boolean) => ({
    name,
    type,
    nullable,
    metadata: {},
  });
  const fields = columns.map(({ name, type, isKey }) => field(name, TYPES[type], !isKey));
  return JSON.stringify({ type: 'struct', fields: [...fields, field('dt', 'date', true)] });
}

/** Statistics are what the log has: bounds of ids or texts would keep what an erasure takes out. */
function addOf({ file, atMs }: DeltaFile, dataChange: boolean) {
  const { path, partitionValues } = placeOf(file);
  const { bytes: size, rows: numRecords, created } = file;
  const stats = JSON.stringify({ numRecords, ...(created && boundsIn(created)) });
  return { path, partitionValues, size, modificationTime: atMs, dataChange, stats };
}

/** Times have milliseconds there: the bounds are widened to the next. */
function boundsIn([min, max]: readonly [min: number, max: number]) {
  return {
    minValues: { created_at: new Date(Math.floor(min / 1000)).toISOString() },
    maxValues: { created_at: new Date(Math.ceil(max / 1000)).toISOString() },
  };
}

function removeOf({ file, atMs: deletionTimestamp }: DeltaFile<RemovedFile>, dataChange: boolean) {
  const { path, partitionValues } = placeOf(file);
  const extended = { extendedFileMetadata: true, partitionValues, size: file.bytes };
  return { path, deletionTimestamp, dataChange, ...extended };
}

/** The path as a URI that is relative to the table, and the partition. */
function placeOf({ path, table }: RemovedFile) {
  const relative = encodeURI(path.slice(`tables/${table}/`.length));
  return { path: relative, partitionValues: { dt: partitionOf(path)?.day ?? '' } };
}

/** Always the same for the same table of the same archive: RFC 9562, version 8. */
function uuidOf(text: string): string {
  const hex = sha256Hex(text);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

const LONGS = ['size', 'modificationTime', 'deletionTimestamp'];

function withLongs(action: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(action).map(([name, value]) => [
      name,
      LONGS.includes(name) ? BigInt(Number(value)) : value,
    ]),
  );
}

const CHECKPOINT_FIELDS: readonly NestedField[] = [
  {
    name: 'txn',
    type: 'group',
    fields: [
      { name: 'appId', type: 'text' },
      { name: 'version', type: 'int64' },
      { name: 'lastUpdated', type: 'int64' },
    ],
  },
  {
    name: 'add',
    type: 'group',
    fields: [
      { name: 'path', type: 'text' },
      { name: 'partitionValues', type: 'map' },
      { name: 'size', type: 'int64' },
      { name: 'modificationTime', type: 'int64' },
      { name: 'dataChange', type: 'bool' },
      { name: 'tags', type: 'map' },
      { name: 'stats', type: 'text' },
    ],
  },
  {
    name: 'remove',
    type: 'group',
    fields: [
      { name: 'path', type: 'text' },
      { name: 'deletionTimestamp', type: 'int64' },
      { name: 'dataChange', type: 'bool' },
      { name: 'extendedFileMetadata', type: 'bool' },
      { name: 'partitionValues', type: 'map' },
      { name: 'size', type: 'int64' },
    ],
  },
  {
    name: 'metaData',
    type: 'group',
    fields: [
      { name: 'id', type: 'text' },
      { name: 'name', type: 'text' },
      { name: 'description', type: 'text' },
      {
        name: 'format',
        type: 'group',
        fields: [
          { name: 'provider', type: 'text' },
          { name: 'options', type: 'map' },
        ],
      },
      { name: 'schemaString', type: 'text' },
      { name: 'partitionColumns', type: 'list' },
      { name: 'configuration', type: 'map' },
      { name: 'createdTime', type: 'int64' },
    ],
  },
  {
    name: 'protocol',
    type: 'group',
    fields: [
      { name: 'minReaderVersion', type: 'int32' },
      { name: 'minWriterVersion', type: 'int32' },
    ],
  },
];
