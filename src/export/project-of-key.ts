/**
 * Whether the API key is one of the archive's project, as far as anybody can tell. That of another project may know the same
 * users, and lists other conversations of them: they would enter the archive, and those of the archive would count as gone.
 */
import type { Archive } from '../archive/archive.js';
import { isLive } from '../archive/state/archived-session.js';
import { JobvaultError } from '../base/error.js';
import { counted, thousands } from '../base/text/counted.js';
import type { UserId } from '../model/ids.js';
import type { SessionRecord } from '../model/records.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { Listings, type PageReader } from '../service/page-reader.js';
import { readAll } from '../service/read-all.js';
import type { ServiceClient } from '../service/service-client.js';
import { failureBehindGap, isSkippable } from './jobs/gap.js';

/** Users who are asked for at most: mostly the first one shows it. */
const MOST_ASKED = 10;
/** So many users without an answer, each tried for minutes, are no longer theirs: the service does not answer. */
const MOST_SILENT = 2;

/** `message` has one sentence, a question. */
export class OtherProjectError extends JobvaultError {
  override readonly name = 'OtherProjectError';
  readonly code = 'EXPORT_OTHER_PROJECT';
  readonly disposition = 'fatal';
  readonly failure = 'doubtful';
}

export interface ProjectCheck {
  readonly archive: Archive;
  readonly service: ServiceClient;
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `shown`: a listing has one of the archived conversations; `nothing-to-show`: the service should have none of them any
 * more; `unknown`: nobody's listing could be read, or the budget is spent.
 */
export type ProjectOfKey = 'shown' | 'nothing-to-show' | 'unknown';

/**
 * Asks for the conversations of those who have archived ones that the service should have, whoever was listed last first,
 * until one listing has one of them.
 *
 * @throws {OtherProjectError} none has any
 * @throws {JobvaultError} what ends a run: the key is refused, or the service does not answer
 */
export async function projectOfKey(check: ProjectCheck): Promise<ProjectOfKey> {
  // a cache may keep these answers: the run asks for pages of other sizes
  const listings = new Listings({ ...check, pageSize: Math.ceil(check.pageSize / 2) });
  let [asked, silent] = [0, 0];
  const without = { users: 0, sessions: 0 };
  for await (const { user, expected } of usersWithSessions(check)) {
    asked++;
    try {
      const shows = await showsOneOf(listings.sessionsOf(user), expected);
      if (shows === true) return 'shown';
      if (shows === false) {
        without.users++;
        without.sessions += expected.size;
      }
    } catch (error) {
      // who may ask for nobody reads nobody
      if (error instanceof BudgetSpentError) return 'unknown';
      if (check.signal?.aborted === true || !isSkippable(error)) throw error;
      if (failureBehindGap(error) === 'unreachable' && ++silent >= MOST_SILENT) throw error;
    }
    if (asked >= MOST_ASKED) break;
  }
  if (asked === 0) return 'nothing-to-show';
  if (without.users === 0) return 'unknown';
  const { sessions, users } = without;
  const lists =
    sessions === 1
      ? 'does not list the one archived conversation'
      : `lists none of the ${thousands(sessions)} archived conversations`;
  throw new OtherProjectError(
    `the service ${lists} of ${counted(users, 'user')}: is this the API key of another project?`,
  );
}

/**
 * What a run asks before it commits anything. With `allowOtherConversations` nothing is asked: somebody knows it.
 *
 * @returns false where it is not known
 * @throws {JobvaultError} as of `projectOfKey`
 */
export async function isOfProject({
  allowOtherConversations = false,
  ...check
}: ProjectCheck & { readonly allowOtherConversations?: boolean | undefined }): Promise<boolean> {
  if (allowOtherConversations) return true;
  try {
    return (await projectOfKey(check)) !== 'unknown';
  } catch (error) {
    if (!(error instanceof OtherProjectError)) throw error;
    throw new OtherProjectError(`${error.message} Nothing was archived`);
  }
}

interface ExpectedSessions {
  readonly user: UserId;
  /** What the service should list, as far as the log knows. */
  readonly expected: ReadonlySet<string>;
}

async function* usersWithSessions({
  archive: { index, states },
}: ProjectCheck): AsyncGenerator<ExpectedSessions> {
  const listings = [...(await index.listings())].toSorted(
    ([, { last: a }], [, { last: b }]) => b.commit - a.commit,
  );
  for (const [user] of listings) {
    if (index.suppressions.ofUser(user) !== undefined) continue;
    const { sessions } = await states.load(user);
    const live = [...sessions].flatMap(([id, state]) => (isLive(state) ? [String(id)] : []));
    if (live.length > 0) yield { user, expected: new Set(live) };
  }
}

/** @returns undefined where the listing proves nothing: it has a gap, or a cache has answered */
async function showsOneOf(
  reader: PageReader<SessionRecord>,
  expected: ReadonlySet<string>,
): Promise<boolean | undefined> {
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) return step.value.gap === undefined ? false : undefined;
    const { items, page } = step.value;
    if (page.served.stale === undefined && items.some(({ id }) => expected.has(id))) return true;
  }
}
