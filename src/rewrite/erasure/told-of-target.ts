/** What the plan of an erasure tells of it: which sessions go, and which texts of people stay. */
import type { Archive } from '../../archive/archive.js';
import type { ErasedSession, TextsLeft } from './erase-options.js';
import type { ErasureTarget } from './erasure-target.js';
import { namesAny } from './redact-log.js';

/** Ordered by session id. @param target after `learnFromLog` */
export async function targetedSessions(
  { states, index }: Pick<Archive, 'states' | 'index'>,
  target: ErasureTarget,
): Promise<ErasedSession[]> {
  const found: ErasedSession[] = [];
  for (const user of target.owners) {
    const { sessions } = await states.loadAsOf(user, index.through);
    for (const [session, { jobs }] of sessions) {
      if (target.has({ user, session })) found.push({ user, session, jobs: jobs.size });
    }
  }
  return found.sort((a, b) => (a.session < b.session ? -1 : 1));
}

/**
 * Texts about requests and released holds that concern the erased. Their ids become `[erased]`, but a person may be
 * named in other words, which only people can see.
 */
export function textsLeft({ index }: Pick<Archive, 'index'>, target: ErasureTarget): TextsLeft[] {
  const left = (
    of: TextsLeft['of'],
    texts: readonly (string | undefined)[],
    ids: Iterable<string>,
  ) => {
    const all = [...ids];
    const own = texts.filter((text) => text !== undefined && !namesAny(text, all));
    return { of, texts: [...new Set(own)] as string[] };
  };
  const requests = index.requests
    .filter((request) => target.isRequestAbout({ ...request, action: 'new' }))
    .map(({ name, by, reason, closed, searches, packs }) => {
      const doers = [...searches, ...packs].map((work) => work.by);
      return left('request', [name, by, reason, ...doers, closed?.by, closed?.reason], target.ids);
    });
  const holds = index.holds
    .filter((hold) => target.hasHold(hold))
    .map((hold) => {
      const { reason, by, release } = hold;
      return left('hold', [reason, by, release?.reason, release?.by], target.idsFor(hold));
    });
  return [...requests, ...holds].filter(({ texts }) => texts.length > 0);
}
