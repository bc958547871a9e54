/** Says what to do after a command failed; the sentence before it says what went wrong. */
import { afterGaps } from '../../archive/reading/caveats/after-gaps.js';
import { IDENTITY_PATH, isArtifactPath } from '../../archive/paths.js';
import { ErasureUnfinishedError, IntegrityError } from '../../archive/archive-errors.js';
import {
  API_KEY,
  asConfigured,
  onArchive,
  onOut,
  step,
  type NextStep,
} from '../../base/next-step.js';
import { codeOf, failureOf, type FailureKind } from '../../base/error.js';
import { ErasureHeldError } from '../../rewrite/erasure/erase-options.js';
import { StorageError } from '../../storage/storage-errors.js';
import { GivenFileError } from '../input/given-file.js';
import { NIGHTLY_ENVIRONMENT, type StorageTrouble } from '../../storage/storage-fixes.js';

const AGAIN = step`run the same command again.`;

const TRY_PLACE = step`${onOut('doctor')} tries the place and says what fails`;
/** What shows more than the message of a trouble says. */
const AFTER_FIX: Readonly<Partial<Record<StorageTrouble, NextStep>>> = {
  permission: step`; ${TRY_PLACE}`,
  other: step`; ${TRY_PLACE}`,
  device: step`; ${onArchive('verify')} then names what is damaged`,
};
const REPAIR = onArchive('verify', '--repair');
const SHOW_TABLES = onArchive('query', 'SHOW TABLES');

const ASK_HOLDERS = step`${onArchive('hold list')} names the holds, with who asked and why: ask them whether a hold has ended before anybody releases it`;

const ASK_OR_GO_AROUND = step`${ASK_HOLDERS}. Only a part is on hold: --except-held keeps that and erases the rest.`;

const NEXT_STEPS: Readonly<Partial<Record<FailureKind, NextStep>>> = {
  integrity: step`${onArchive('verify')} names everything that is damaged.`,
  unreachable: step`${asConfigured('doctor')} shows what cannot be reached. Then run the same command again: it continues where this one ended.`,
  authentication: step`check ${API_KEY}; ${asConfigured('doctor')} tries the key with one request.`,
  doubtful: step`check ${API_KEY}. If all these conversations were deleted at the service, --allow-other-conversations goes on: what the service has no more then counts as gone from it.`,
  refused: step`${ASK_HOLDERS}.`,
  storage: step`${TRY_PLACE}.`,
  locked: step`run the same command again when the other run has ended; ${onArchive('status')} shows the last runs.`,
};

const MEND_REFUSED = step`${asConfigured('export')} archives what is new or not settled yet, ${REPAIR} mends what is damaged`;
const DOUBTFUL_STAYS = step`What is in doubt (doubtful) no export, no repair and no gap accept lets a prune delete, unless its line says what does: who knows better deletes it with ${asConfigured('sessions delete', 'SESSION', '--user', 'USER')}`;
const UNTIL_RELEASED = step`${ASK_HOLDERS}. A hold of a --hold-file ends where its line is taken out`;

/**
 * After a deletion or an expiry that refused sessions.
 *
 * @param refused why each of them stays
 */
export function afterRefusal(refused: readonly { readonly reason: string | null }[]): NextStep {
  const held = refused.filter(({ reason }) => reason === 'hold').length;
  const doubtful = refused.filter(({ reason }) => reason === 'doubtful').length;
  const begin = step`the reason is beside each session`;
  const inDoubt = doubtful === 0 ? begin : step`${begin}. ${DOUBTFUL_STAYS}`;
  if (doubtful === refused.length) return step`${inDoubt}.`;
  // no export and no repair helps against a hold
  const help =
    held + doubtful === refused.length
      ? UNTIL_RELEASED
      : held === 0
        ? MEND_REFUSED
        : step`${MEND_REFUSED}. ${UNTIL_RELEASED}`;
  return step`${inDoubt}. ${help}; then run the same command again.`;
}

/** After a deletion that frees too few slots, because nothing tells which conversations of a user are older. */
export function afterUnordered(user: string): NextStep {
  const sql = `SELECT session_id, name FROM current_sessions WHERE user_id = '${user.replaceAll("'", "''")}'`;
  return step`${onArchive('query', sql)} lists the conversations; ask ${user} which of them may go, and name these: ${onArchive('prune', '--user', user, '--session', 'ID', '--dry-run')}`;
}

/** @param open gaps that nobody has accepted */
export function afterOpenGaps(
  open: readonly { readonly is_absent?: boolean; readonly is_read_no_more?: boolean }[],
): NextStep {
  const absent = open.filter((gap) => gap.is_absent === true);
  const unread = open.filter((gap) => gap.is_absent !== true && gap.is_read_no_more === true);
  const counts = { open: open.length, ofAbsent: absent.length, ofUnread: unread.length };
  return step`${afterGaps(counts)}.`;
}

/** After a run of a fleet, which knows no `--retry-gaps`. */
export const AFTER_FLEET_GAPS = step`${asConfigured('enqueue')}, with the same settings, starts another run, whose workers fetch what is missing.`;

export const AFTER_DAMAGE = step`${REPAIR} mends what it can; with the API key, also one that the configuration names, it also fetches lost tables and images again.`;

/** After `verify --public-key` where nothing else is wrong than that commits have another key. */
export const AFTER_OTHER_KEY = step`probably --public-key has another key than the one that signs this archive: pass the public key with the SHA-256 that is named above, and where the key was changed, each of them. If no such key is yours, somebody else has written these commits: compare the archive with a copy. --repair mends no signature.`;

/** After `verify --expect-head` where the log does not have that commit. */
export const AFTER_OTHER_HEAD = step`compare number and digest with the note that they were taken from, character by character. If they are as noted, the log was cut or written anew since: compare the archive with a copy of it. --repair brings no commit back.`;

/** After a command with `--head-file` where the log does not have that commit: a run has noted it, not a person. */
const AFTER_LOST_HEAD = step`restore the archive from a copy that has that commit (jobvault status COPY names its newest one). If somebody has put the earlier state back on purpose, remove the file of --head-file: the next command notes the head again.`;

/** What `verify` found. */
export interface FoundDamage {
  /** Whether the expected head is of `--head-file`. */
  readonly isHeadKept?: boolean;
  readonly problems?: readonly { readonly path: string; readonly problem: string }[];
  readonly signatures?: { readonly otherwise: number };
}

export function afterDamage({ problems = [], signatures, isHeadKept }: FoundDamage): NextStep {
  if (problems.some(isOfHead)) return isHeadKept ? AFTER_LOST_HEAD : AFTER_OTHER_HEAD;
  const isOfKeys = problems.length > 0 && problems.length === signatures?.otherwise;
  return isOfKeys && problems.every(({ problem }) => problem === 'signature')
    ? AFTER_OTHER_KEY
    : AFTER_DAMAGE;
}

/** Whether it is only that the commit of `--expect-head` is not in the log. */
export function isOfHead({ problem }: { readonly problem: string }): boolean {
  return problem === 'head';
}

const FROM_COPY = step`from a copy of the archive, then run ${onArchive('verify')} again.`;

/** Somebody who is sent for a copy first looks for what the service still has. */
const AFTER_UNREACHED = step`run ${REPAIR} again when the service answers: it, or the host of a file, did not answer now. What it then does not bring back,`;

/**
 * @param problems what is left: where nothing else than tables and images of answers is lost, the rest can be handed over
 * @param lost of the repair, with what was not to be had only now
 */
export function afterRepair(
  problems: readonly { readonly path: string }[],
  lost: readonly { readonly unreached: boolean }[] = [],
): NextStep {
  const isUnreached = lost.some(({ unreached }) => unreached);
  const restore = isUnreached
    ? step`${AFTER_UNREACHED} restore ${FROM_COPY}`
    : step`restore what is named above ${FROM_COPY}`;
  return problems.every(({ path }) => isArtifactPath(path))
    ? step`${restore} Where no copy has them, the flag --allow-lost-files of jobvault evidence, report and workbook leaves these tables and images out and names them.`
    : restore;
}

/** What to do next where a table or an image is lost. */
const AFTER_LOST_FILE = step`${onArchive('verify')} names everything that is damaged, and with --repair mends what it can. What no copy of the archive has any more, the flag --allow-lost-files of jobvault evidence, report and workbook leaves out and names.`;

/** No command opens the archive without it, `verify` neither. */
const AFTER_DAMAGED_IDENTITY = step`restore ${IDENTITY_PATH} from a copy of the archive, then run ${onArchive('verify')}.`;

/** What to do next where an erasure has no plan and its receipt stands. */
const AFTER_LOST_PLAN = step`${onArchive('erase')}, with the same --user or --session as before; then run the same command again.`;

/** After `verify --against-service` found jobs that only the service has. */
export const ARCHIVE_IS_BEHIND = step`${asConfigured('export')} archives what only the service has; ${asConfigured('export', '--full')} also finds changes in old jobs.`;

/** By the error's code, where its failure kind says too little. */
const BY_CODE: Readonly<Record<string, NextStep>> = {
  STORAGE_SYMBOLIC_LINK: step`put the file or directory itself in place of the link.`,
  STORAGE_OBJECT_REPLACED: AGAIN,
  STORAGE_OBJECT_NOT_FOUND: step`${onArchive('verify')} names everything that is missing.`,
  SERVICE_NOT_FOUND: step`${asConfigured('sessions list')} and ${asConfigured('datasets list')}, with the same --user, list what exists.`,
  SERVICE_UNKNOWN_OUTCOME: step`jobvault sessions get and jobvault datasets overview, with the same --user, say whether it is still there.`,
  QUERY_UNKNOWN_NAME: step`${SHOW_TABLES} lists the tables and views, 'DESCRIBE current_jobs' the columns of one.`,
  QUERY_REFUSED: step`correct the SQL and run the query again. ${SHOW_TABLES} lists the tables and views; https://duckdb.org/docs/stable/sql/introduction describes the language.`,
  ERASURE_HELD_BY_FILE: step`ask whoever keeps that file whether the hold has ended; take the line out, and run the same command again.`,
  QUERY_OUT_OF_MEMORY: step`run the query again with more --memory, or a --temp-dir with more space.`,
};

/** Undefined for a wrong command line, whose sentence says what is allowed, and for a bug. */
export function nextStep(error: unknown): NextStep | undefined {
  if (error instanceof IntegrityError && error.path === IDENTITY_PATH) {
    return AFTER_DAMAGED_IDENTITY;
  }
  if (error instanceof IntegrityError && isArtifactPath(error.path)) return AFTER_LOST_FILE;
  if (error instanceof IntegrityError && isOfHead(error)) return AFTER_LOST_HEAD;
  if (error instanceof ErasureUnfinishedError && error.isLost) return AFTER_LOST_PLAN;
  if (isHeldInPart(error)) return ASK_OR_GO_AROUND;
  if (error instanceof GivenFileError) {
    return step`mend that file, or name another one; ${asConfigured('doctor', error.flag, error.path)} tries it.`;
  }
  if (error instanceof StorageError) {
    const isOfNight = error.trouble === 'credentials' || error.message.includes('AWS_REGION');
    const where = isOfNight ? ` (${NIGHTLY_ENVIRONMENT})` : '';
    const tried = AFTER_FIX[error.trouble] ?? '';
    return step`${error.fix}${where}${tried}; then ${AGAIN}`;
  }
  const code = codeOf(error) ?? '';
  // the sentence says it; the API key is not what Redis asks for
  if (code === 'FLEET_REDIS' && failureOf(error) === 'authentication') return undefined;
  return BY_CODE[code] ?? NEXT_STEPS[failureOf(error)];
}

/** A hold of the log keeps some of it; what only a file keeps is for whoever has the file. */
function isHeldInPart(error: unknown): boolean {
  return error instanceof ErasureHeldError && error.code === 'ERASURE_HELD' && error.canGoInPart;
}
