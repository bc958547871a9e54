/** Encodes and decodes the state of a user: a line of JSON with lists instead of objects keyed by data. */
import type { UserId, JobId, SessionId } from '../../model/ids.js';
import type { CommitRef } from '../log/commit-log.js';
import { type UserState, type JobState, type SessionState } from './user-state.js';
import { stateOf } from './archived-session.js';
import { sortedOut, sessionEntryOf } from './apply-commit.js';
import type { SessionEntry } from '../log/commit.js';
import { parseJson } from '../../base/text/parse-json.js';

interface StateLine {
  readonly user: UserId;
  readonly sessions: readonly SessionLine[];
}

interface SessionLine extends Omit<SessionEntry, 'user'> {
  readonly deleted: boolean;
  readonly jobs: readonly (JobState & { readonly job: JobId })[];
}

/** Equal sessions of a user have equal lines, as of whichever commit. */
export function stateLine(state: UserState): string {
  return [...stateTexts(state)].join('');
}

/** The same in pieces, made one session after the other: a user may have 100,000 jobs, whose line has 23 MB. */
export function* stateTexts({ user, sessions }: UserState): Generator<string> {
  yield `{"user":${JSON.stringify(user)},"sessions":[`;
  const ordered = [...sessions].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [at, [session, known]] of ordered.entries()) {
    yield at === 0 ? '' : ',';
    yield JSON.stringify(sessionLineOf(user, session, known));
  }
  yield ']}';
}

function sessionLineOf(
  user: UserId,
  session: SessionId,
  known: SessionState,
): SessionLine & { readonly user: undefined } {
  return {
    ...sessionEntryOf(user, session, known),
    user: undefined,
    gaps: known.gaps.map((gap) => {
      const { job, role, block_index, file_index, kind, status, reason } = gap;
      const { shared_with, lost_below } = gap;
      const doubt = { shared_with, lost_below };
      return { job, role, block_index, file_index, kind, status, reason, ...doubt };
    }),
    deleted: known.deleted,
    jobs: [...known.jobs, ...known.withdrawn].map(([job, state]) => {
      return { job, ...stateOf(state), urls: inKeyOrder(state.urls) };
    }),
  };
}

function inKeyOrder(urls: JobState['urls']): JobState['urls'] {
  return urls && Object.fromEntries(Object.entries(urls).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * @param line whose bytes were compared with the log
 * @param through the commit as of which it counts
 * @throws {SyntaxError | TypeError} it is no state
 */
export function stateIn(line: string, { number: through, digest }: CommitRef): UserState {
  const { user, sessions } = parseJson(line) as StateLine;
  return {
    user,
    through,
    throughDigest: digest,
    sessions: new Map(
      sessions.map((sessionLine): [SessionId, SessionState] => {
        const { session, meta_hash: metaHash, gone_at: goneAt, jobs, ...rest } = sessionLine;
        const known = sortedOut(jobs.map(({ job, ...state }) => [job, state]));
        return [session, { metaHash, goneAt, ...known, ...rest }];
      }),
    ),
  };
}
