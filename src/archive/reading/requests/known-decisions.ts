/** Decisions of requests with the ids that an erasure took out of them, where the archive has the conversation again. */
import { ERASED, type JobId, type SessionId, type UserId } from '../../../model/ids.js';
import type { Archive } from '../../archive.js';
import { keyedDigest } from '../../log/keyed-digest.js';
import type { RequestDecision, RequestRecord } from '../../log/request-history.js';
import { requestCalled } from '../../notes/change-requests.js';
import { archivedByDigest } from './erased-and-back.js';

interface Back {
  readonly user: UserId;
  readonly session: SessionId;
}

/** All requests. @throws {IntegrityError} the log is damaged */
export async function requestsAsKnown(archive: Archive): Promise<readonly RequestRecord[]> {
  await archive.index.refresh();
  return withKnownDecisions(archive, archive.index.requests);
}

/** A request by its name or its id. @throws {UsageError} there is none @throws {IntegrityError} the log is damaged */
export async function requestAsKnown(archive: Archive, name: string): Promise<RequestRecord> {
  await archive.index.refresh();
  const request = requestCalled(archive, name);
  const [known = request] = await withKnownDecisions(archive, [request]);
  return known;
}

async function withKnownDecisions(
  archive: Archive,
  requests: readonly RequestRecord[],
): Promise<readonly RequestRecord[]> {
  const erased = requests.flatMap(({ decisions }) => decisions.filter(isErased));
  if (erased.length === 0) return requests;
  const looked = erased.map(({ key, session_digest: digest }) => {
    return { subject: 'session' as const, key, digest };
  });
  const back = await archivedByDigest(archive, looked);
  if (back.size === 0) return requests;
  const known = new Map<RequestDecision, RequestDecision>();
  for (const decision of erased) {
    const found = back.get(decision.session_digest)?.at(-1);
    if (!found) continue;
    const { session } = found;
    known.set(decision, { ...decision, session, job: await jobOf(archive, found, decision) });
  }
  return requests.map((request) => {
    const decisions = request.decisions.map((decision) => known.get(decision) ?? decision);
    return { ...request, decisions };
  });
}

function isErased({ session }: RequestDecision): boolean {
  return session === ERASED;
}

async function jobOf(
  { index, states }: Archive,
  { user, session }: Back,
  { key, job, job_digest: digest }: RequestDecision,
): Promise<JobId | null> {
  if (digest === null) return null;
  const { sessions } = await states.loadAsOf(user, index.through);
  const jobs = [...(sessions.get(session)?.jobs.keys() ?? [])];
  return jobs.find((id) => keyedDigest(key, 'job', id) === digest) ?? job;
}
