/** Makes the SQL of the tables and views, for other programs that read the archive in place. */
import type { Archive } from '../archive/archive.js';
import { currentViews } from './current-views.js';
import { goneSessionsView } from './gone-sessions.js';
import { QUESTION_VIEWS } from './question-views.js';
import { readSnapshot } from './snapshot.js';
import { createView, tableViews, type View } from './table-views.js';

export interface ArchiveViews {
  readonly commit: number;
  /** In the order in which they must be created. */
  readonly views: readonly View[];
  /** All of them as a script for DuckDB. */
  readonly sql: string;
}

const FROM_A_BUCKET = [
  '-- DuckDB reads the bucket with its own credentials, such as those of the machine:',
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
    ...QUESTION_VIEWS,
  ];
  const heading = [
    `-- The archive ${storage.location.replace(/\s+/g, ' ')} as of commit ${snapshot.commit}, for DuckDB.`,
    '-- The script names every file: print it again after the next export.',
    '-- It reads the files unchecked: jobvault verify compares them with the log.',
    ...(storage.directory === undefined ? FROM_A_BUCKET : []),
  ];
  const sql = [heading.join('\n') + '\n', ...views.map(createView)].join('\n');
  return { commit: snapshot.commit, views, sql };
}
