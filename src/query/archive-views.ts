/** The SQL behind a query's tables and views, for other programs that read the archive where it lies. */
import type { Archive } from '../archive/archive.js';
import { currentViews } from './current-views.js';
import { goneSessionsView } from './gone-sessions.js';
import { readSnapshot } from './snapshot.js';
import { createView, tableViews, type View } from './table-views.js';

export interface ArchiveViews {
  readonly commit: number;
  /** In the order in which they have to be made. */
  readonly views: readonly View[];
  /** All of them as a script for DuckDB. */
  readonly sql: string;
}

const FROM_A_BUCKET = [
  '-- It reads the bucket with credentials of its own, such as those of the machine:',
  '-- CREATE SECRET (TYPE s3, PROVIDER credential_chain);',
  'INSTALL httpfs;',
  'LOAD httpfs;',
];

/** @throws {IntegrityError} the log is damaged */
export async function archiveViews(archive: Archive, signal?: AbortSignal): Promise<ArchiveViews> {
  const { storage } = archive;
  const snapshot = await readSnapshot(archive, signal);
  const root = storage.directory ?? storage.location;
  const views = [
    ...tableViews(snapshot, ({ path }) => `${root}/${path}`),
    goneSessionsView(snapshot.gone),
    ...currentViews(),
  ];
  const heading = [
    `-- The archive ${storage.location.replace(/\s+/g, ' ')} as of commit ${snapshot.commit}, for DuckDB.`,
    '-- Every file is named: after the next export, print this again.',
    '-- It reads the files as they lie there: jobvault verify compares them with the log.',
    ...(storage.directory === undefined ? FROM_A_BUCKET : []),
  ];
  const sql = [heading.join('\n') + '\n', ...views.map(createView)].join('\n');
  return { commit: snapshot.commit, views, sql };
}
