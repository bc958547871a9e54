/** Records requests, what is done for them, and that they are closed: each change is a commit. */
import { ulid } from '../../base/ulid.js';
import { UsageError } from '../../base/error.js';
import { clauses } from '../../base/text/clauses.js';
import { counted } from '../../base/text/counted.js';
import { STEERING } from '../../base/text/visible.js';
import {
  asSessionId,
  asUserId,
  ERASED,
  rowId,
  type JobId,
  type SessionId,
} from '../../model/ids.js';
import { foldedUser, isSameUser } from '../../model/user-spelling.js';
import type { Archive } from '../archive.js';
import type { Commit, RequestEntry } from '../log/commit.js';
import { keyedDigest, newDigestKey } from '../log/keyed-digest.js';
import type { HoldRecord } from '../log/notes.js';
import type { RequestDecision, RequestPack, RequestRecord } from '../log/request-history.js';
import { Decisions } from '../reading/requests/decisions.js';
import { assertUsersKnown, traceScope } from '../reading/selection.js';
import { appendNote, type Note } from '../runs/note.js';

/** Options of `newRequest` of an open archive. */
export interface RequestChoices {
  /** What it is called: a line of at most 100 characters that no other request has. */
  readonly name: string;
  /** Why: a matter, a case number. It becomes the reason of holds. */
  readonly reason: string;
  /** Who asked for it. */
  readonly by: string;
  /** Whom it is about. Default: everybody. */
  readonly users?: readonly string[] | undefined;
  /** Which sessions it is about, instead of users. Default: all of theirs. */
  readonly sessions?: readonly string[] | undefined;
  /** Which jobs it is about, as a search takes them. Default: all. */
  readonly match?: string | undefined;
  readonly in?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Options of `closeRequest` of an open archive. */
export interface CloseChoices {
  /** Its name or its id. */
  readonly name: string;
  readonly reason: string;
  /** The person who closes it. */
  readonly by: string;
  /** Whether the holds that were set for it are released with it. Default false: they stay in force. */
  readonly releaseHolds?: boolean | undefined;
}

/** Options of `decideForRequest` of an open archive. */
export interface DecisionChoices {
  /** The name or the id of an open request. */
  readonly request: string;
  /** A conversation that the archive has of those whom the request is about. */
  readonly session: string;
  /** Only this question of it. Default: all of the conversation. */
  readonly job?: string | undefined;
  /** `withhold`: it is in nothing that is made for the request. `redact`: it is there without its texts and files. `include`: neither. */
  readonly decision: RequestDecision['decision'];
  /** Why: privileged, not responsive. It stands in what is made. */
  readonly reason: string;
  /** The person who decides. */
  readonly by: string;
}

export interface ClosedRequest {
  readonly request: RequestRecord;
  /** Holds that were set for it, and were released with it. */
  readonly released: readonly HoldRecord[];
  /** Holds that were set for it, and stay in force. */
  readonly held: readonly HoldRecord[];
}

type Done = Extract<RequestEntry, { readonly action: 'search' | 'pack' }>;
/** What was done for a request, without whose it is. */
export type WorkForRequest = Done extends infer One
  ? One extends Done
    ? Omit<One, 'id'>
    : never
  : never;

const LONGEST_NAME = 100;

/**
 * @throws {UsageError} a text is empty, the name is not a short line or is taken, users and sessions are named together, or the archive does not know one
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function newRequest(
  archive: Archive,
  choices: RequestChoices,
): Promise<RequestRecord> {
  const { name, reason, by, users = [], sessions = [], match, from, to } = choices;
  assertName(name);
  assertTexts({ reason, by });
  // elsewhere the two together mean these sessions of this user; an erasure would take all of the user
  if (users.length > 0 && sessions.length > 0) {
    throw new UsageError(
      'a request is about users or about sessions, and both are named; leave one out, or record two requests',
    );
  }
  const { index, storage } = archive;
  const plan = async () => {
    await assertUsersKnown(archive, users);
    await traceScope(archive, { users: [], sessions });
    const taken = index.requests.find((request) => isCalled(request, name));
    if (taken) {
      const when = `${taken.since.slice(0, 10)} by ${taken.by}`;
      throw new UsageError(
        `${storage.location} has a request "${name}" (${when}); choose another name`,
      );
    }
    const entry: RequestEntry = {
      action: 'new',
      id: ulid(archive.clock, archive.random),
      name,
      reason,
      by,
      users: [...new Set(users)].map(asUserId),
      sessions: [...new Set(sessions)].map(asSessionId),
      match: match ?? null,
      in: choices.in ?? null,
      from: from ?? null,
      to: to ?? null,
    };
    // the name may be taken
    const isOutdatedBy = ({ requests = [] }: Commit): boolean =>
      requests.some((entry) => entry.action === 'new' && isSameName(entry.name, name));
    const note: Note = { kind: 'request', requests: [entry], isOutdatedBy };
    return { note, told: () => requestCalled(archive, entry.id) };
  };
  return appendNote(archive, { namesPeople: true, plan });
}

/**
 * @throws {UsageError} a text is empty, or there is no open request of this name
 * @throws {SigningKeyError | SigningStartError} as `newRequest`
 */
export async function closeRequest(
  archive: Archive,
  choices: CloseChoices,
): Promise<ClosedRequest> {
  const { name, reason, by, releaseHolds = false } = choices;
  assertTexts({ reason, by });
  const { index } = archive;
  const plan = () => {
    const { id } = openRequestIn(archive, name);
    const binding = releaseHolds ? holdsFor(archive, id) : [];
    const holds = binding.map((hold) => ({ action: 'release' as const, id: hold.id, reason, by }));
    const note: Note = {
      kind: 'request',
      requests: [{ action: 'close', id, reason, by }],
      ...(holds.length > 0 && { holds }),
      // a hold that was set for it meanwhile would stay unnoticed
      isOutdatedBy: (commit) => commit.holds !== undefined || commit.requests !== undefined,
    };
    const told = ({ number }: Commit): ClosedRequest => ({
      request: requestCalled(archive, id),
      released: index.holds.filter(({ release }) => release?.commit === number),
      held: holdsFor(archive, id),
    });
    return { note, told };
  };
  return appendNote(archive, { namesPeople: false, plan });
}

/** @throws {UsageError} there is no open request of this name @throws {SigningKeyError | SigningStartError} as `newRequest` */
export async function noteForRequest(
  archive: Archive,
  { name, work }: { readonly name: string; readonly work: WorkForRequest },
): Promise<RequestRecord> {
  const plan = () => {
    const { id } = openRequestIn(archive, name);
    const isOutdatedBy = ({ requests = [] }: Commit): boolean =>
      requests.some((entry) => entry.action === 'close' && entry.id === id);
    const note: Note = { kind: 'work', requests: [{ ...work, id }], isOutdatedBy };
    return { note, told: () => requestCalled(archive, id) };
  };
  return appendNote(archive, { namesPeople: false, plan });
}

/**
 * Decides what becomes of a conversation or a question in what is made for a request from now on; a later decision about the
 * same replaces it.
 *
 * @throws {UsageError} a text is empty, there is no such open request, or it is not about the conversation, or the archive does not have the conversation or the question
 * @throws {ErasureUnfinishedError} as `newRequest` @throws {SigningKeyError | SigningStartError} as `newRequest`
 */
export async function decideForRequest(
  archive: Archive,
  { request: name, session, job, decision, reason, by }: DecisionChoices,
): Promise<RequestRecord> {
  assertTexts({ reason, by });
  const plan = async () => {
    const request = openRequestIn(archive, name);
    const found = await sessionOfRequest(archive, request, session);
    const jobId =
      job === undefined ? null : found.jobs.find((known) => rowId(known) === rowId(job));
    if (jobId === undefined) {
      throw new UsageError(
        `session "${session}" of ${archive.storage.location} has no job "${job ?? ''}"; jobvault show names its jobs`,
      );
    }
    const { id } = request;
    const key = request.decisions[0]?.key ?? newDigestKey(archive.random);
    const entry = {
      action: 'decide' as const,
      id,
      session: found.session,
      job: jobId,
      decision,
      key,
      session_digest: keyedDigest(key, 'session', found.session),
      job_digest: jobId === null ? null : keyedDigest(key, 'job', jobId),
    };
    const isOutdatedBy = ({ requests = [] }: Commit): boolean =>
      requests.some((other) => other.action === 'close' && other.id === id);
    const note: Note = { kind: 'request', requests: [{ ...entry, reason, by }], isOutdatedBy };
    const jobs = jobId === null ? found.jobs : [jobId];
    return { note, told: () => ({ session: found.session, jobs }) };
  };
  const decided = await appendNote(archive, { namesPeople: true, plan });
  const request = requestCalled(archive, name);
  if (decision !== 'include') await tellWhereElse(archive, request, decided);
  return request;
}

/** The service may have answered another conversation with the same questions: what is made shows them there. */
async function tellWhereElse(
  { index, states, logger }: Archive,
  request: RequestRecord,
  decided: { readonly session: SessionId; readonly jobs: readonly JobId[] },
): Promise<void> {
  const { users, sessions: named } = request;
  const decisions = Decisions.of(request);
  const owners = index.users.filter(
    (user) => users.length === 0 || users.some((about) => isSameUser(about, user)),
  );
  const elsewhere = new Set<SessionId>();
  for (const user of owners) {
    const { sessions } = await states.loadAsOf(user, index.through);
    for (const [session, { jobs }] of sessions) {
      const isInScope =
        named.length === 0 || named.some((about) => rowId(about) === rowId(session));
      const isShown = (job: JobId) => jobs.has(job) && !decisions.ofJob(session, job);
      if (isInScope && session !== decided.session && decided.jobs.some(isShown))
        elsewhere.add(session);
    }
  }
  if (elsewhere.size === 0) return;
  logger.warn(
    { request: request.name, sessions: [...elsewhere] },
    'other conversations have the same questions, and what is made for the request shows them there; decide on those, too',
  );
}

/** @throws {UsageError} the archive does not have the session, or the request is not about it */
async function sessionOfRequest(
  archive: Archive,
  { name, users, sessions }: RequestRecord,
  session: string,
): Promise<{ readonly session: SessionId; readonly jobs: readonly JobId[] }> {
  const traces = await traceScope(archive, { users: [], sessions: [session] });
  const owners = [...traces.values()].flatMap((trace) => [...trace.users]);
  const isAboutAll = users.length + sessions.length === 0;
  const owner = owners.find((user) => isAboutAll || users.some((about) => isSameUser(about, user)));
  const isNamed = sessions.some((about) => rowId(about) === rowId(session));
  const user = owner ?? (isNamed ? owners[0] : undefined);
  if (user === undefined) {
    throw new UsageError(`request "${name}" is not about session "${session}"`);
  }
  const { sessions: known } = await archive.states.loadAsOf(user, archive.index.through);
  const [found = session] = traces.keys();
  const id = asSessionId(found);
  return { session: id, jobs: [...(known.get(id)?.jobs.keys() ?? [])] };
}

/** Holds in force that were set for a request. */
function holdsFor({ index }: Archive, id: string): HoldRecord[] {
  return index.holds.filter(({ request, release }) => request === id && release === null);
}

/**
 * @param archive its index must be up to date
 * @param name of the request, or its id
 * @throws {UsageError} there is none
 */
export function requestCalled({ index, storage }: Archive, name: string): RequestRecord {
  const found = index.requests.find((request) => isCalled(request, name));
  if (found) return found;
  if (name === ERASED) {
    const ids = index.requests.filter(isNameless).map(({ id }) => id);
    if (ids.length > 0) {
      throw new UsageError(
        `${storage.location} has ${counted(ids.length, 'request')} whose name an erasure has taken; give the id of one: ${ids.join(', ')}`,
      );
    }
  }
  const open = index.requests.filter(({ closed }) => closed === null);
  const others =
    open.length === 0
      ? 'jobvault request new records one'
      : `open are ${open.map((request) => JSON.stringify(request.name)).join(', ')}`;
  throw new UsageError(`${storage.location} has no request "${name}"; ${others}`);
}

/** As `requestCalled`, of an open request. @param advice what to do where it is closed @throws {UsageError} there is no such request, or it is closed */
export function openRequestIn(
  archive: Archive,
  name: string,
  advice = 'record a new one',
): RequestRecord {
  const request = requestCalled(archive, name);
  if (!request.closed) return request;
  const { at, by } = request.closed;
  throw new UsageError(
    `request "${request.name}" was closed on ${at.slice(0, 10)} by ${by}; ${advice}`,
  );
}

/** Why nothing can be made for a request any more: whom it is about, or its words, went with an erasure; null where something can. */
export function lostOfRequest({
  users,
  sessions,
  match,
}: Pick<RequestRecord, 'users' | 'sessions' | 'match'>): 'whom' | 'words' | null {
  const about: readonly string[] = [...users, ...sessions];
  if (about.length > 0 && about.every((id) => id === ERASED)) return 'whom';
  return match === ERASED ? 'words' : null;
}

/**
 * Open requests that name one of these users, in whatever spelling, or one of these sessions, and those about everybody.
 *
 * @param archive its index must be up to date
 */
export function openRequestsAbout(
  { index }: Archive,
  whom: { readonly users: Iterable<string>; readonly sessions: Iterable<string> },
): RequestRecord[] {
  const users = new Set(Array.from(whom.users, foldedUser));
  const sessions = new Set(whom.sessions);
  return index.requests.filter((request) => {
    const isAboutAll = request.users.length + request.sessions.length === 0;
    const isUser = request.users.some((user) => users.has(foldedUser(user)));
    const isSession = request.sessions.some((session) => sessions.has(session));
    return request.closed === null && (isAboutAll || isUser || isSession);
  });
}

function isCalled({ id, name }: RequestRecord, given: string): boolean {
  return id === given || isSameName(name, given);
}

/** Whether an erasure has taken its name. */
function isNameless({ name }: Pick<RequestRecord, 'name'>): boolean {
  return name.startsWith(ERASED);
}

/** Names are compared as people read them. */
function isSameName(one: string, other: string): boolean {
  return one.normalize('NFC') === other.normalize('NFC');
}

/** @throws {UsageError} */
function assertName(name: string): void {
  if (isNameless({ name })) {
    throw new UsageError(
      `the name ${JSON.stringify(name.slice(0, LONGEST_NAME))} looks like that of a request whose name an erasure has taken; choose another one`,
    );
  }
  const isLine = !new RegExp(`[${STEERING}]|^\\s|\\s$`, 'u').test(name);
  if (isLine && name !== '' && name.length <= LONGEST_NAME) return;
  throw new UsageError(
    `a request is named ${JSON.stringify(name.slice(0, LONGEST_NAME))}; allowed is a line of 1 to ${LONGEST_NAME} characters without spaces around it`,
  );
}

/** @throws {UsageError} */
function assertTexts({ reason, by }: Pick<RequestChoices, 'reason' | 'by'>): void {
  if (reason.trim() === '') throw new UsageError('a request needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('a request needs the name of a person, and it is empty');
  }
}

/** What was done for a request. */
export interface RequestWork {
  /** Evidence packs. */
  readonly packs: number;
  readonly workbooks: number;
  readonly reports: number;
  /** Pseudonymised ones. */
  readonly copies: number;
  readonly searches: number;
  readonly erasures: number;
}

export function workFor({
  packs,
  searches,
  erasures = [],
}: Pick<RequestRecord, 'searches' | 'erasures'> & {
  readonly packs: readonly Pick<RequestPack, 'form'>[];
}): RequestWork {
  const ofForm = (which: RequestPack['form']) => packs.filter(({ form }) => form === which).length;
  return {
    packs: ofForm(undefined),
    workbooks: ofForm('workbook'),
    reports: ofForm('report'),
    copies: ofForm('copy'),
    searches: searches.length,
    erasures: erasures.length,
  };
}

/** What was made for a request, to be handed over: `2 packs`, `1 workbook`. */
export function handedOver({ packs, workbooks, reports, copies }: RequestWork): string[] {
  return [
    ...(packs === 0 ? [] : [counted(packs, 'pack')]),
    ...(workbooks === 0 ? [] : [counted(workbooks, 'workbook')]),
    ...(reports === 0 ? [] : [counted(reports, 'report')]),
    ...(copies === 0 ? [] : [counted(copies, 'copy', 'copies')]),
  ];
}

/** `2 packs, 1 workbook, 1 search`, or `no pack yet, 1 search`. */
export function workText(work: RequestWork): string {
  const { searches, erasures } = work;
  const made = handedOver(work);
  return clauses(
    ', ',
    ...(made.length === 0 ? ['no pack yet'] : made),
    searches > 0 && counted(searches, 'search', 'searches'),
    erasures > 0 && counted(erasures, 'erasure'),
  );
}
