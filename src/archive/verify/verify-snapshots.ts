/** Verifies the snapshots: one that the log names, and that is as it was written, must be what folding the log gives. */
import { sha256Hex } from '../../base/digest.js';
import { canonicalJson, type Json, parseJson } from '../../base/text/parse-json.js';
import { getIfThere } from '../../storage/storage.js';
import type { SnapshotEntry } from '../log/commit.js';
import { commitPath } from '../paths.js';
import { decodeSnapshot, firstLine, snapshotLines, userLine } from '../snapshots/snapshot-codec.js';
import { sessionFacts, usersIn } from '../snapshots/snapshot-fold.js';
import { storedSnapshots } from '../snapshots/snapshot-reader.js';
import { StateStore } from '../state/state-store.js';
import { emptyState } from '../state/user-state.js';
import { MAY_BE_CUT, type Findings } from './findings.js';
import { IntegrityError } from '../archive-errors.js';
import type { FoldedLog, LogFindings } from './verify-log.js';
import type { StatesOptions } from './verify-states.js';

const UNREADABLE = 'is a cache that cannot be read; a later export writes another one';
const OUTDATED = 'was made before an erasure, and nothing uses it; the next run removes it';

/** A snapshot that is missing or torn is no damage: readers pass it over. */
export async function verifySnapshots(
  options: StatesOptions,
  found: LogFindings,
  findings: Findings,
): Promise<void> {
  const { storage, isWanted = () => true } = options;
  for (const { path, through } of await storedSnapshots(storage)) {
    if (!isWanted(path)) continue;
    if (through > found.newest) {
      // a run may have put the commit since the log was read
      if (await storage.stat(commitPath(through))) continue;
      const detail = `was made after commit ${through}, which is missing; ${MAY_BE_CUT}`;
      findings.add({ path, problem: 'chain', detail });
      continue;
    }
    const entry = found.snapshots.get(path);
    const folded = found.folded.get(through);
    if (through < found.index.lastErasure) findings.note(path, OUTDATED);
    else if (entry && folded) await verifyOne(options, { entry, folded, found }, findings);
  }
}

interface NamedSnapshot {
  readonly entry: SnapshotEntry;
  readonly folded: FoldedLog;
  readonly found: LogFindings;
}

async function verifyOne(
  options: StatesOptions,
  named: NamedSnapshot,
  findings: Findings,
): Promise<void> {
  const { path, bytes: length, sha256 } = named.entry;
  const bytes = await getIfThere(options.storage, path);
  if (!bytes) return; // a run has removed it since
  if (bytes.byteLength !== length || sha256Hex(bytes) !== sha256) {
    findings.note(path, UNREADABLE);
    return;
  }
  if (!named.found.isSound) return;
  try {
    const lines = await snapshotLines(bytes);
    if (await isAsFolded(lines, options, named)) return;
  } catch (error) {
    if (error instanceof IntegrityError) {
      findings.add(error);
      return;
    }
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  findings.add({ path, problem: 'state', detail: 'differs from what the log gives' });
}

/** @throws {SyntaxError | TypeError} the lines are no snapshot @throws {IntegrityError} the log is damaged */
async function isAsFolded(
  [first = '', ...others]: readonly string[],
  { storage, log, signal }: StatesOptions,
  { entry, folded: { view, marks }, found }: NamedSnapshot,
): Promise<boolean> {
  const { salt } = parseJson(first) as { readonly salt?: unknown };
  if (typeof salt !== 'string' || !isSame(first, firstLine(view, salt))) return false;
  const users = usersIn(view, await view.listings.read({ storage, log }));
  if (others.length !== users.length) return false;
  const snapshot = decodeSnapshot([first, ...others]);
  const states = new StateStore(storage, log, found.index);
  for (const [at, user] of users.entries()) {
    signal?.throwIfAborted();
    const state = await states.replay(emptyState(user.user), entry.through);
    // when sessions were last checked, the log does not have
    const checks = snapshot.users.get(user.user)?.checks;
    if (!checks) return false;
    const expected = userLine({ ...user, sessions: sessionFacts(state, marks), checks });
    if (!isSame(others[at] ?? '', expected)) return false;
  }
  return true;
}

function isSame(a: string, b: string): boolean {
  const canonical = (text: string): string => canonicalJson(parseJson(text) as Json);
  return a === b || canonical(a) === canonical(b);
}
