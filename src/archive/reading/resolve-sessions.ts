/** Finds the sessions that a person means, as git finds commits: by whole id, by the beginning of an id, or by exact name. */
import { rowId } from '../../model/ids.js';
import type { ArchiveReading } from '../archive.js';
import { readConsistently } from '../consistent-read.js';
import { retryOnRewrite } from '../retry-on-rewrite.js';
import { NewestSessions } from './newest-sessions.js';
import { type Scope } from './scope.js';
import { Selection } from './selection.js';
import { SelectedRows } from './rows/selected-rows.js';
import { groupBy } from '../../base/group-by.js';
import { UsageError } from '../../base/error.js';
import { textIn } from '../../model/mask-secrets.js';
import { newestSessionRows } from './session-list.js';

/** Shorter beginnings of ids soon mean several sessions. */
const MIN_ID_PREFIX = 6;

/** How many candidates are named. */
const LISTED = 8;

/** Ids as the service makes them: of these no log need be read. */
const WHOLE_ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|c[\da-z]{24})$/;

interface Candidate {
  readonly id: string;
  readonly users: Set<string>;
}

/**
 * Only for what reads: what deletes, erases or holds takes whole ids.
 *
 * @returns whole ids, in the given order; what means no session stays as it is
 * @throws {UsageError} a text means several sessions, or is too short for the beginning of an id, or there is no such user
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function resolveSessions(
  reading: ArchiveReading,
  { users, sessions }: Scope,
): Promise<string[]> {
  if (sessions.every((session) => WHOLE_ID.test(session))) return [...sessions];
  return retryOnRewrite(() =>
    readConsistently(reading.archive, 'answer', async () => {
      const known = await candidatesIn(reading, users);
      let idsOf: ReadonlyMap<string, ReadonlySet<string>> | undefined;
      const resolved: string[] = [];
      for (const given of sessions) {
        if (!known.has(rowId(given))) idsOf ??= await idsByName(reading, users);
        resolved.push(
          resolveSession(given, known, idsOf?.get(given), reading.archive.storage.location),
        );
      }
      return resolved;
    }),
  );
}

async function candidatesIn(
  { archive: { index }, signal }: ArchiveReading,
  users: readonly string[],
): Promise<ReadonlyMap<string, Candidate>> {
  const owners = new Set(users.map(rowId));
  const known = new Map<string, Candidate>();
  for (const { user, session } of await NewestSessions.of(index, { signal })) {
    if (owners.size > 0 && !owners.has(rowId(user))) continue;
    const id = rowId(session);
    const candidate = known.get(id) ?? { id, users: new Set() };
    known.set(id, candidate);
    candidate.users.add(user);
  }
  return known;
}

async function idsByName(
  reading: ArchiveReading,
  users: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { archive, signal } = reading;
  const selection = await Selection.of(archive, { users, sessions: [] }, { signal });
  const rows = await newestSessionRows(await SelectedRows.of(reading, selection));
  const named = groupBy([...rows.values()], (row) => textIn(row, 'name') ?? '');
  return new Map(
    [...named].map(([name, sameName]) => [
      name,
      new Set(sameName.map((row) => String(row['session_id']))),
    ]),
  );
}

function resolveSession(
  given: string,
  known: ReadonlyMap<string, Candidate>,
  named: ReadonlySet<string> | undefined,
  place: string,
): string {
  const prefix = rowId(given);
  if (known.has(prefix)) return given;
  const begun = [...known.values()].filter(({ id }) => id.startsWith(prefix));
  const isLong = given.length >= MIN_ID_PREFIX;
  const found = [...known.values()].filter(
    (candidate) => named?.has(candidate.id) === true || (isLong && begun.includes(candidate)),
  );
  if (found.length > 1) throw ambiguous(given, found, place);
  if (found.length === 0 && begun.length > 0) throw tooShort(given, begun.length);
  return found[0]?.id ?? given;
}

/**
 * The job that a person means: by whole id, or by the beginning of an id.
 *
 * @param jobs whole ids of a session
 * @returns undefined if the text means none
 * @throws {UsageError} the text means several jobs, or is too short
 */
export function resolveJob(given: string, jobs: ReadonlySet<string>): string | undefined {
  if (jobs.has(given)) return given;
  const begun = [...jobs].filter((id) => id.startsWith(given));
  if (begun.length > 0 && given.length < MIN_ID_PREFIX) throw tooShort(given, begun.length);
  if (begun.length < 2) return begun[0];
  const candidates = begun.map((id) => ({ id, users: new Set<string>() }));
  throw ambiguous(given, candidates, 'this session', 'job');
}

function ambiguous(
  given: string,
  found: readonly Candidate[],
  place: string,
  kind = 'session',
): UsageError {
  const named = found
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, LISTED)
    .map(({ id, users }) => (users.size === 0 ? id : `${id} of ${[...users].join(' and ')}`));
  const more = found.length > LISTED ? `, and ${found.length - LISTED} more` : '';
  const means = `"${given}" means ${found.length} ${kind}s of ${place}`;
  return new UsageError(`${means}: ${named.join(', ')}${more}; give more of the id`);
}

function tooShort(given: string, count: number): UsageError {
  const ids = count === 1 ? 'one id begins' : `${count} ids begin`;
  return new UsageError(
    `"${given}" is too short: ${ids} with it; give ${MIN_ID_PREFIX} characters of the id or more, or a session's exact name`,
  );
}
