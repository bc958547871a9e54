/** Every receipt of an erasure or an expiry, for those who audit what was erased: how much, never what. */
import type { Archive } from './archive.js';
import type { BegunErasure } from './log/commit.js';

export interface ListedErasure extends Pick<BegunErasure, 'reason' | 'asked' | 'erased'> {
  /** Id of the receipt. */
  readonly receipt: string;
  /** When it was put; ISO 8601. */
  readonly at: string;
  /** Number of the commit that is the receipt. */
  readonly commit: number;
  /** Number of the commit that says that all of it is done; null while it is not. */
  readonly finished: number | null;
  /** The person who did it; null where the receipt names nobody. */
  readonly by: string | null;
  /** Name of the request for which it was done; null of none. */
  readonly request: string | null;
  /** The key that has signed the receipt (SHA-256 of the public key); null where nobody has. */
  readonly signed_by: string | null;
}

/** In the order of the log. @throws {IntegrityError} */
export async function listErasures({
  index,
  log,
}: Pick<Archive, 'index' | 'log'>): Promise<ListedErasure[]> {
  await index.refresh();
  const names = new Map(index.requests.map(({ id, name }) => [id, name]));
  const found = new Map<number, ListedErasure>();
  for (const number of index.erasures) {
    const { erasure, created_at: at, signed_by } = await log.read(number);
    if (erasure?.stage === 'finished') {
      const begun = found.get(erasure.begun);
      if (begun) found.set(begun.commit, { ...begun, finished: number });
      continue;
    }
    if (!erasure) continue;
    const { id: receipt, reason, by = null, asked, erased } = erasure;
    const request = names.get(erasure.request ?? '') ?? null;
    const facts = { reason, by, request, asked, erased, signed_by };
    found.set(number, { receipt, at, commit: number, finished: null, ...facts });
  }
  return [...found.values()];
}
