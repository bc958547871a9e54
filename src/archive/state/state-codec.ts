/** Encodes and decodes the state of a user: gzipped JSON with lists instead of objects keyed by data. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import { jobLineSchema, sessionEntrySchema } from '../log/commit.js';
import { IntegrityError } from '../archive-errors.js';
import { inOrder, sessionEntryOf, stateOf } from '../log/replay.js';
import type { JobState, SessionState, UserState } from './user-state.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

const stateSchema = z.strictObject({
  format: z.literal(1),
  user: jobLineSchema.shape.user,
  through: z.int().nonnegative(),
  through_digest: z.string().nullable(),
  sessions: z.array(
    sessionEntrySchema.omit({ user: true }).extend({
      deleted: z.boolean(),
      jobs: z.array(jobLineSchema.omit({ user: true, session: true })),
    }),
  ),
});

export async function encodeState(state: UserState): Promise<Uint8Array> {
  return gzipBytes(stateText(state));
}

/** The JSON of a state: equal states have equal texts. */
export function stateText(state: UserState): string {
  const sessions = [...state.sessions].sort(([a], [b]) => (a < b ? -1 : 1));
  const { user, through, throughDigest } = state;
  return JSON.stringify({
    format: 1,
    user,
    through,
    through_digest: throughDigest,
    sessions: sessions.map(([session, known]) => {
      return {
        ...sessionEntryOf(user, session, known),
        user: undefined,
        gaps: known.gaps.map((gap) => {
          const { job, role, block_index, file_index, kind, status, reason } = gap;
          const { shared_with, missing_jobs } = gap;
          const doubt = { shared_with, missing_jobs };
          return { job, role, block_index, file_index, kind, status, reason, ...doubt };
        }),
        deleted: known.deleted,
        jobs: [...known.jobs].map(([job, state]) => {
          return { job, ...stateOf(state), urls: inKeyOrder(state.urls) };
        }),
      };
    }),
  });
}

function inKeyOrder(urls: JobState['urls']): JobState['urls'] {
  return urls && Object.fromEntries(Object.entries(urls).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * @param path for the error
 * @throws {IntegrityError} the bytes are not a state
 */
export async function decodeState(path: string, bytes: Uint8Array): Promise<UserState> {
  let decoded;
  try {
    decoded = stateSchema.parse(parseJson((await gunzipBytes(bytes)).toString()));
  } catch (cause) {
    throw new IntegrityError(path, 'unreadable', 'is damaged: it is not a valid state', {
      cause,
    });
  }
  const { user, through, through_digest: throughDigest, sessions } = decoded;
  return {
    user,
    through,
    throughDigest,
    sessions: new Map(
      sessions.map(({ session, meta_hash: metaHash, gone_at: goneAt, jobs, ...rest }) => {
        const state: SessionState = {
          ...rest,
          metaHash,
          goneAt,
          jobs: inOrder(jobs.map(({ job, ...known }) => [job, known])),
        };
        return [session, state];
      }),
    ),
  };
}
