/** What the plan of an erasure tells of it: which sessions go, and which texts of people stay. */
import { type Archive } from '../../archive/archive.js';
import { type ErasureTarget } from '../../archive/erasing/erasure-target.js';
import { redactedRequest } from '../../archive/erasing/redact-commit.js';
import { textsGoing } from '../../archive/erasing/redact-log.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import { lostOfRequest } from '../../archive/notes/change-requests.js';
import { namesAny } from '../../archive/erasing/named-in.js';
import { type Counted, countedOnce, lastListed } from '../../archive/reading/users/listed-again.js';
import { isLive } from '../../archive/state/archived-session.js';
import { groupBy } from '../../base/group-by.js';
import { ERASED } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';
import { type ErasedSession, type ErasedTexts, type TextsLeft } from './erase-options.js';

/**
 * Ordered by session id. Of the spellings of a user that have a session, that which was listed last says whether the
 * service still has it.
 *
 * @param target after `learnFromLog`
 */
export async function targetedSessions(
  archive: Archive,
  target: ErasureTarget,
): Promise<ErasedSession[]> {
  const { states, index } = archive;
  const spellings = groupBy(index.users, foldedUser);
  const isSpelt = [...target.owners].some(
    (user) => (spellings.get(foldedUser(user)) ?? []).length > 1,
  );
  const listedBy = isSpelt ? await lastListed(index) : () => 0;
  const found: Omit<ErasedSession, keyof Counted<object>>[] = [];
  for (const user of target.owners) {
    const spelt = [];
    for (const id of spellings.get(foldedUser(user)) ?? [user]) {
      const { sessions } = await states.loadAsOf(id, index.through);
      spelt.push({ id, sessions, listed: listedBy(id) });
    }
    for (const [session, state] of spelt.find(({ id }) => id === user)?.sessions ?? []) {
      if (!target.has({ user, session })) continue;
      const known = spelt.flatMap(({ sessions, listed }) => {
        const there = sessions.get(session);
        return there ? [{ listed, isThere: isLive(there) }] : [];
      });
      const newest = Math.max(...known.map(({ listed }) => listed));
      const isThere = known.some((one) => one.listed === newest && one.isThere);
      found.push({ user, session, jobs: state.jobs.size, at_service: isThere });
    }
  }
  return countedOnce(
    archive,
    found.sort((a, b) => (a.session < b.session ? -1 : 1)),
  );
}

/** Names of those of these requests for which something can be made, and nothing once this is erased: whom they are about, or their words, go with it. */
export function requestsLost(requests: readonly RequestRecord[], target: ErasureTarget): string[] {
  const isLost = (request: RequestRecord): boolean => {
    const left = redactedRequest({ ...request, action: 'new' }, target);
    return left.action === 'new' && lostOfRequest(left) !== null;
  };
  return requests
    .filter((request) => lostOfRequest(request) === null && isLost(request))
    .map(({ name }) => name);
}

/**
 * Texts about requests, their decisions and released holds that concern the erased. Their ids become `[erased]`, but a person may be
 * named in other words, which only people can see. Of other requests and holds, it has the texts that name an owner. Where only sessions are erased, requests keep the users and words that
 * they are about, and the words of every search that was made for them.
 *
 * @param forRequest the id of the request that is carried out
 */
export function textsLeft(
  { index }: Archive,
  target: ErasureTarget,
  forRequest: string | undefined,
): TextsLeft[] {
  // a doubt about what is shared with others makes a text about them none about the erased
  const users = [...target.sessionKeys].map(({ user }) => user);
  const owners = new Set([...users, ...target.asked.users].map(foldedUser));
  const remainingTexts = (
    kind: TextsLeft['kind'],
    texts: readonly (string | undefined)[],
    ids: ReadonlySet<string>,
  ) => {
    const withoutIds = texts.filter(
      (text) => text !== undefined && !text.startsWith(ERASED) && !namesAny(text, ids),
    );
    return { kind, texts: [...new Set(withoutIds)] as string[] };
  };
  const ownerIds = new Set<string>([...users, ...target.asked.users]);
  const namingOwners = (texts: readonly (string | null | undefined)[]): string[] =>
    texts.filter((text) => text != null && namesAny(text, ownerIds)) as string[];
  const isAboutErased = (request: RequestRecord): boolean =>
    request.id === forRequest ||
    target.isRequestAbout({ ...request, action: 'new' }) ||
    // a request about everybody is about the erased, too
    request.users.length + request.sessions.length === 0 ||
    request.users.some((user) => owners.has(foldedUser(user)));
  const requests = index.requests.map((request) => {
    const { name, by, reason, closed, searches, packs, erasures = [], users, match } = request;
    const doers = [...searches, ...packs, ...erasures].map((work) => work.by);
    const decided = request.decisions.flatMap((decision) => [decision.reason, decision.by]);
    const isTakenOut = target.isRequestAbout({ ...request, action: 'new' });
    // a search may have had words of its own
    const words = [match, ...searches.map((search) => search.match)];
    const written = [name, by, reason, ...doers, ...decided, closed?.by, closed?.reason];
    if (!isAboutErased(request)) {
      return remainingTexts('request', namingOwners([...written, ...words]), target.ids);
    }
    const about = isTakenOut ? [] : [...users, ...words.map((text) => text ?? undefined)];
    const texts = [...written, ...about];
    const told = remainingTexts('request', texts, target.ids);
    // only the id that was asked for is taken out of the users of a request
    const spellings = users.filter((user) => owners.has(foldedUser(user)) && !target.hasUser(user));
    return { ...told, texts: [...new Set([...told.texts, ...spellings])] };
  });
  const holds = index.holds.map((hold) => {
    const { reason, by, set_by: setter, release, user } = hold;
    const written = [reason, by, setter, release?.reason, release?.by];
    const isOfErased = target.hasHold(hold) || owners.has(foldedUser(user ?? ''));
    if (!isOfErased) return remainingTexts('hold', namingOwners(written), target.ids);
    const about = target.hasHold(hold) ? undefined : (user ?? undefined);
    return remainingTexts('hold', [...written, about], target.idsFor(hold));
  });
  return [...requests, ...holds].filter(({ texts }) => texts.length > 0);
}

/** Where texts become `[erased]`, in the order of the log. @param target after `learnFromLog` */
export async function textsErased(
  archive: Archive,
  target: ErasureTarget,
  signal: AbortSignal,
): Promise<ErasedTexts[]> {
  const { requests, holds } = archive.index;
  const names = new Map<string, string>([
    ...requests.map(({ id, name }) => [id, name] as const),
    ...holds.map(({ id, user, session }) => [id, user ?? session ?? ''] as const),
  ]);
  const texts = await textsGoing(archive, target, signal);
  const places = groupBy(texts, ({ kind, id, field }) => `${kind} ${id} ${field}`);
  return [...places.values()].flatMap((same) => {
    const [place] = same;
    if (!place) return [];
    const { kind, id, field } = place;
    return [{ kind, id, name: names.get(id) ?? null, field, count: same.length }];
  });
}
