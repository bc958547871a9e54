/** The view `users`: a row for each user of the archive and of a users file, with the columns of that file. */
import { rowId } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';
import type { Archive } from '../../archive/archive.js';
import { UsageError } from '../../base/error.js';
import type { KnownUser } from '../known-users.js';
import { valuesView, type ValuesColumns } from './values-view.js';
import { instantText, sqlText } from '../sql-text.js';
import type { View } from './table-views.js';

/** A row of a users file: `user_id`, and whatever else the file says of the user. */
export type UserRow = Readonly<Record<string, string | null>> & { readonly user_id: string };

/** Ids of a pseudonymised copy are digests: it has noted which of them are one person. */
export const AS_OF_COPY = 'a pseudonymised copy has it as of when it was made';

/** DuckDB's type and the meaning of each column, in order; those of a users file come after them. */
export const USERS_COLUMNS = {
  user_id: ['VARCHAR', 'The user, as exports asked for it, or as the users file has it'],
  person: [
    'VARCHAR',
    `The same for all spellings of a user that list the same session: the one that an export has listed last; count(DISTINCT person) counts people; ${AS_OF_COPY}`,
  ],
  first_seen_at: [
    'TIMESTAMPTZ',
    'When the export began that first read the user; null of a user whom no export has read, and in a pseudonymised copy, which does not know',
  ],
  last_seen_at: [
    'TIMESTAMPTZ',
    'When an export last listed the sessions of the user to their end; null of a user of whom none has; in a pseudonymised copy the day (UTC)',
  ],
  is_in_users_file: [
    'BOOLEAN',
    'Whether the users file has the user, however spelt; null where no users file was given',
  ],
} as const;

/** @throws {UsageError} a row has what is no text, or the ids of one of the archives are digests, in which no row is found */
export function assertUsersFileFits(
  archives: readonly Archive[],
  file: readonly UserRow[] | undefined,
): void {
  for (const [at, row] of (file ?? []).entries()) {
    const odd = Object.entries<unknown>(row).find(([, cell]) => typeof (cell ?? '') !== 'string');
    if (!odd) continue;
    const [column, cell] = odd;
    throw new UsageError(
      `row ${at + 1} of users has ${String(cell)} (${typeof cell}) as ${column}; allowed is a text or null`,
    );
  }
  const copy = file && archives.find(({ identity }) => identity.pseudonymised !== undefined);
  if (!copy) return;
  throw new UsageError(
    `no users file fits ${copy.storage.location}: it is a pseudonymised copy, whose ids are digests; query the archive that it was made of, or leave the users file out`,
  );
}

interface UsersOf {
  readonly location: string;
  readonly users: readonly KnownUser[];
}

/**
 * A user of the archive has the columns of the file's row of the same id, else of another spelling. Who is in the file
 * alone has a row without times.
 *
 * @param file undefined: no users file was given
 */
export function usersView(
  archives: readonly UsersOf[],
  { isUnion, file }: { readonly isUnion: boolean; readonly file?: readonly UserRow[] | undefined },
): View {
  const names = [...new Set((file ?? []).flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== 'user_id',
  );
  const columns: ValuesColumns = {
    ...typesOf(USERS_COLUMNS),
    ...Object.fromEntries(names.map((name) => [columnName(name), 'VARCHAR'])),
    ...(isUnion ? { archive: 'VARCHAR' } : {}),
  };
  const exact = new Map((file ?? []).map((row) => [row.user_id, row]));
  const folded = new Map((file ?? []).toReversed().map((row) => [foldedUser(row.user_id), row]));
  const known = new Set<string>();
  const isListed = (row: UserRow | undefined): string =>
    file === undefined ? 'NULL::BOOLEAN' : String(row !== undefined);
  const more = (row: UserRow | undefined): string[] =>
    names.map((name) => textOrNull(row?.[name] ?? null));
  const rows = archives.flatMap(({ location, users }) =>
    users.map(({ user, person, firstSeenAt, lastSeenAt }) => {
      known.add(foldedUser(user));
      const row = exact.get(user) ?? folded.get(foldedUser(user));
      const cells = [
        sqlText(rowId(user)),
        sqlText(rowId(person)),
        instantText(firstSeenAt),
        instantText(lastSeenAt),
        isListed(row),
        ...more(row),
      ];
      return [...cells, ...(isUnion ? [sqlText(location)] : [])];
    }),
  );
  for (const [form, row] of folded) {
    if (known.has(form)) continue;
    const id = sqlText(rowId(row.user_id));
    const cells = [id, id, instantText(null), instantText(null), isListed(row), ...more(row)];
    rows.push([...cells, ...(isUnion ? ['NULL::VARCHAR'] : [])]);
  }
  return valuesView('users', columns, rows);
}

/** A column of the file that is called like one of the view has `file_` before its name. */
function columnName(name: string): string {
  const isTaken = [...Object.keys(USERS_COLUMNS), 'archive'].includes(name.toLowerCase());
  return isTaken ? `file_${name}` : name;
}

export function textOrNull(text: string | null): string {
  return text === null || text === '' ? 'NULL::VARCHAR' : sqlText(text);
}

/** @param columns DuckDB's type and the meaning of each */
export function typesOf(
  columns: Readonly<Record<string, readonly [string, string]>>,
): ValuesColumns {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}
