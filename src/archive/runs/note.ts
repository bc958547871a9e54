/** What people note in the log (holds, requests, what they accept): each note is one commit, planned as of the newest. */
import { ulid } from '../../base/ulid.js';
import { silentLogger } from '../../base/logger.js';
import { asRunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { assertErasuresFinished } from '../erasing/erasures.js';
import type { CommitDraft } from '../log/commit-draft.js';
import type { Commit } from '../log/commit.js';
import { planAgain } from './plan-again.js';

/** The entries of a note, and what makes it wrong if it comes in between. */
export type Note = Pick<
  CommitDraft,
  | 'kind'
  | 'holds'
  | 'requests'
  | 'accepted'
  | 'accepted_images'
  | 'suppressions'
  | 'retention'
  | 'isOutdatedBy'
>;

/** A note as of the newest commit, and what its caller is told once it is in the log; or at once, where there is nothing to note. */
export type Planned<Told> =
  | { readonly note: Note; readonly told: (commit: Commit) => Told }
  | { readonly note: undefined; readonly told: Told };

export interface NoteOptions<Told> {
  /** Whether it names people, whom an erasure may be about to erase: then none may have begun and not finished. */
  readonly namesPeople: boolean;
  /** Called whenever it is planned, with the index up to date. */
  readonly plan: () => Planned<Told> | Promise<Planned<Told>>;
}

/**
 * Appends a note, and plans it again, without a word, where another run's commit has made it wrong meanwhile.
 *
 * @returns what the plan tells; the index knows the commit then
 * @throws what `plan` throws
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished, and the note names people
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function appendNote<Told>(
  archive: Archive,
  { namesPeople, plan }: NoteOptions<Told>,
): Promise<Told> {
  const { index, log, clock, random, tool } = archive;
  const quiet = { archive: { ...archive, logger: silentLogger }, commits: [] };
  return planAgain(quiet, async () => {
    await index.refresh();
    const base = index.through;
    if (namesPeople) await assertErasuresFinished(archive);
    const planned = await plan();
    if (!planned.note) return planned.told;
    const { note, told } = planned;
    const isOutdatedBy = (commit: Commit): boolean =>
      (namesPeople && commit.erasure?.stage === 'begun') || note.isOutdatedBy?.(commit) === true;
    const run = asRunId(ulid(clock, random));
    const commit = await log.append({
      ...note,
      ...{ run, checkpoint: 1, tool, scope: {} },
      ...{ base, isOutdatedBy },
    });
    await index.refresh();
    return told(commit);
  });
}
