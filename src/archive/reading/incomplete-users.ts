/** Which users a run left incomplete: with gaps, or without any, where its budget was spent. */
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { listedIn } from '../log/manifest.js';

export interface IncompleteUsers {
  readonly withGaps: number;
  /** Not read to the end, and without a gap. */
  readonly partly: number;
}

/** Reads the users manifests of the run. @param archive its index must be up to date @throws {IntegrityError} one is damaged */
export async function incompleteUsers(
  archive: Pick<Archive, 'index' | 'log' | 'storage'>,
  run: RunId,
): Promise<IncompleteUsers> {
  const users = new Map<string, { readonly isComplete: boolean; readonly hasGap: boolean }>();
  for (const facts of archive.index.commits) {
    if (facts.run !== run || facts.counts.users === 0) continue;
    const listed = await listedIn(archive, await archive.log.read(facts.number));
    for (const { user, complete: isComplete, gaps, error } of listed) {
      // doubted later in the run: the doubt is a gap
      const hasGap = gaps > 0 || error !== null || users.get(user)?.hasGap === true;
      users.set(user, { isComplete, hasGap });
    }
  }
  const left = [...users.values()].filter(({ isComplete }) => !isComplete);
  const withGaps = left.filter(({ hasGap }) => hasGap).length;
  return { withGaps, partly: left.length - withGaps };
}
