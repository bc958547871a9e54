/** Whom an erasure takes: those who are named, or whom its request is about. */
import type { ArchiveTask } from '../archive/archive.js';
import { openRequestIn } from '../archive/notes/change-requests.js';
import { perhapsBackOf } from '../archive/reading/requests/erased-and-back.js';
import { restOfRequest } from '../archive/reading/requests/rest-of-request.js';
import { finishEarlier } from '../rewrite/erasure/erase.js';
import type { EraseChoices, ErasingRequest } from '../rewrite/erasure/erase-options.js';
import { requestScope } from './request-scope.js';

const CLOSED_FOR_ERASURE =
  'nothing is erased for a request that is closed: record another one with the same users, words and period, and erase for that before it is closed';

/** @throws {UsageError} there is no such open request, it does not say who goes, or somebody is named beside it */
export async function toErase(
  { archive, signal }: ArchiveTask,
  { request: name, undated, ...named }: EraseChoices,
): Promise<{ readonly named: EraseChoices; readonly forRequest?: ErasingRequest }> {
  if (name === undefined) return { named };
  await finishEarlier({ archive, signal }, { isPlan: named.dryRun === true });
  const request = openRequestIn(archive, name, CLOSED_FOR_ERASURE);
  const { users, sessions } = named;
  const given = { users, sessions, undated, signal };
  const { inScope, ...whom } = await requestScope(archive, request, given);
  const assertOpen = async (): Promise<void> => {
    await archive.index.refresh();
    openRequestIn(archive, request.id, CLOSED_FOR_ERASURE);
  };
  const givesReason = named.reason === undefined;
  const reason = named.reason ?? request.reason;
  const { id, users: about } = request;
  const { again } = await restOfRequest(archive, request);
  const { erasures = [] } = request;
  const mayBeBack = await perhapsBackOf(archive, erasures);
  const perhapsBack = (going: ReadonlySet<string>) => mayBeBack(erasures, going);
  const back = { again, perhapsBack };
  const forRequest = { id, name: request.name, about, givesReason, inScope, ...back, assertOpen };
  return { named: { ...named, ...whom, reason }, forRequest };
}
