/** Compares the log with what runs knew of it when they saved the times of checks: a witness of a commit that is lost, or another. */
import { getIfThere, type Storage } from '../../storage/storage.js';
import { commitPath } from '../paths.js';
import {
  anotherCommit,
  cutBefore,
  isAnother,
  objectIn,
  storedChecks,
} from '../state/saved-checks.js';
import type { Findings } from './findings.js';
import type { LogFindings } from './verify-log.js';

/** Objects that are read, the newest. */
const MOST_READ = 16;

export async function verifyChecks(
  { storage, signal }: { readonly storage: Storage; readonly signal?: AbortSignal | undefined },
  { newest, index }: LogFindings,
  findings: Findings,
): Promise<void> {
  const stored = await storedChecks(storage);
  stored.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  for (const { path } of stored.slice(0, MOST_READ)) {
    signal?.throwIfAborted();
    const bytes = await getIfThere(storage, path);
    const head = bytes && (await objectIn(bytes))?.head;
    if (!head) continue;
    const { number } = head;
    if (number > newest) {
      // a run may have put the commit since the log was read
      if (await storage.stat(commitPath(number))) continue;
      findings.add(cutBefore(path, number));
      return;
    }
    if (isAnother(index, head)) {
      findings.add({ path, problem: 'chain', detail: anotherCommit(head) });
    }
  }
}
