/** Formats the result of verify for people and for programs. */
import { dayOf } from '../../../model/times/timestamp.js';
import type { RetentionReport } from '../../../archive/verify/verify-guards.js';
import type { TimestampReport } from '../../../archive/verify/verify-witnesses.js';
import type { SignatureReport } from '../../../archive/verify/signature-report.js';
import type { VerifyReport } from '../../../archive/verify/verify.js';
import type { SlicesReport } from '../../../archive/verify/verify-within.js';
import { archiveIsBehind, type Comparison, type Difference } from '../../../repair/difference.js';
import type { RepairReport } from '../../../repair/repair.js';
import type { NextStep } from '../../../base/next-step.js';
import { formatByteSize } from '../../../base/byte-size.js';
import { ARTIFACTS_PREFIX, TABLES_PREFIX } from '../../../archive/paths.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { placeText } from '../texts/place-text.js';
import { secondText } from '../texts/time-text.js';
import { foreignText } from '../texts/archive-texts.js';
import { afterDamage, afterRepair, ARCHIVE_IS_BEHIND, isOfHead } from '../next-step.js';
import type { View } from '../view.js';
import { rewritesJson, rewritesText, erasureList } from './rewrites-report.js';

export interface Verified {
  readonly report: VerifyReport & { readonly slices?: SlicesReport };
  readonly repair?: RepairReport | undefined;
  readonly comparison?: Comparison | undefined;
  /** Whether the expected head is of `--head-file`. */
  readonly isHeadKept?: boolean;
}

const LISTED_UNPROTECTED = 20;
const LISTED_NOTES = 20;
/** How many differences are listed; the rest is counted. `--json` has all. */
const LISTED_DIFFERENCES = 50;

export function verifiedJson({ report, repair, comparison }: Verified) {
  const { location, commits, head, files, tableRows, artifacts, bytes, unread, snapshots } = report;
  const { retention, replaced } = report;
  const problems = repair?.problems ?? report.problems;
  const orphans = repair ? repair.orphans.young : report.orphans;
  return {
    status: problems.length > 0 ? 'damaged' : 'intact',
    archive: location,
    commits,
    head,
    ...headJson(report.expectedHead),
    files,
    rows: tableRows,
    artifacts,
    bytes,
    unread,
    left_out: report.leftOut,
    snapshots,
    replaced,
    problems,
    notes: notesLeft({ report, repair }),
    orphans,
    foreign: report.foreign,
    ...(report.slices && { slices: report.slices }),
    ...signaturesJson(report.signatures),
    ...timestampsJson(report.timestamps),
    ...rewritesJson(report.rewrites),
    ...(retention && { retention: retentionJson(retention) }),
    ...(repair && { repair: repairJson(repair) }),
    ...(comparison && { service: serviceJson(comparison) }),
  };
}

/** Says how many files of tables and artifacts are missing: their numbers are those that the log and rows name. */
function missingText(problems: VerifyReport['problems']): string {
  const missing = problems.filter(
    ({ path, problem }) =>
      problem === 'missing' &&
      (path.startsWith(TABLES_PREFIX) || path.startsWith(ARTIFACTS_PREFIX)),
  ).length;
  return missing === 0 ? '' : `; ${missing} ${agreeing(missing, 'is', 'are')} missing`;
}

/** What a sample leaves out of the log; null where it was read whole. */
function leftOutText({ manifests, snapshots }: VerifyReport['leftOut']): string | null {
  if (manifests + snapshots === 0) return null;
  const unread = `${counted(manifests, 'manifest')} not read`;
  return `of the log: ${unread}, ${counted(snapshots, 'snapshot')} not compared; without --sample all are`;
}

/** Without the notes on what the repair has rebuilt. */
function notesLeft({ report, repair }: Verified): VerifyReport['notes'] {
  const { snapshots = [], delta = [], workbooks = [] } = repair ?? {};
  const rebuilt = new Set([...snapshots, ...delta, ...workbooks]);
  return report.notes.filter(({ path }) => !rebuilt.has(path));
}

export function verifiedView(verified: Verified): View {
  const { report, repair, comparison } = verified;
  const { commits, head, files, tableRows, artifacts, bytes, unread } = report;
  const problems = repair?.problems ?? report.problems;
  const orphans = repair ? repair.orphans.young : report.orphans;
  const isWhole = !problems.some((found) => found.path.startsWith('_commits/') && !isOfHead(found));
  const rows = Object.entries(tableRows).map(([table, count]) => `${count} ${table}`);
  return {
    ...verdictOf(verified),
    facts: [
      ['commits', `${commits}, ${isWhole ? 'chain unbroken' : 'damaged: see below'}`],
      ['head', head && `${head.number}:${head.digest}`],
      ['expected head', headText(report.expectedHead)],
      [
        'files',
        `${files} of tables, ${artifacts} artifacts, ${formatByteSize(bytes)} read${missingText(problems)}`,
      ],
      [
        'not read',
        unread > 0 ? `${counted(unread, 'file')}: only existence and size checked` : null,
      ],
      ['left out', leftOutText(report.leftOut)],
      ['read back', report.slices ? slicesText(report.slices) : null],
      ['rows', rows.length === 0 ? 'none' : rows.join(', ') + countedNote(problems)],
      ['signatures', signaturesText(report.signatures)],
      ['time stamps', timestampsText(report.timestamps)],
      ['rewritten', rewritesText(report.rewrites)],
      ['replaced', replacedText(report.replaced)],
      ['orphans', orphans.length === 0 ? 'none' : `${orphans.length} not named by any commit`],
      ['foreign', foreignText(report.foreign)],
      ['retention', report.retention && retentionText(report.retention)],
    ],
    lists: [
      erasureList(report.rewrites, new Set(problems.map(({ path }) => path))),
      {
        items: report.retention?.unprotected.map((path) => `${path} has no retention`) ?? [],
        most: LISTED_UNPROTECTED,
      },
      { items: problems.map(({ path, detail }) => `${path} ${detail}`) },
      {
        items: notesLeft(verified).map(({ path, detail }) => `note: ${path} ${detail}`),
        most: LISTED_NOTES,
      },
    ],
    sections: [
      ...(repair ? [repairView(repair)] : []),
      ...(comparison ? [comparisonView(comparison)] : []),
    ],
    next: nextOf(verified),
  };
}

function verdictOf({ report, repair }: Verified): Pick<View, 'headline' | 'tone'> {
  const { location, commits } = report;
  const problems = repair?.problems ?? report.problems;
  if (problems.length > 0) return { headline: `${damageText(problems)}: ${location}`, tone: 'bad' };
  if (commits === 0) return { headline: `Intact, and nothing is archived yet: ${location}` };
  return { headline: `Intact: ${location}`, tone: 'good' };
}

/** What is wrong, before the place of the archive. */
export function damageText(problems: VerifyReport['problems']): string {
  return problems.every(isOfHead)
    ? 'Another head'
    : `Damaged: ${counted(problems.length, 'problem')}`;
}

function headJson(expected: VerifyReport['expectedHead']) {
  if (!expected) return {};
  const { number, digest = null, isFound: found } = expected;
  return { expected_head: { number, digest, found } };
}

function headText(expected: VerifyReport['expectedHead']): string | null {
  if (!expected) return null;
  const { number, digest, isFound } = expected;
  if (!isFound) return 'NOT FOUND: see below';
  return digest === undefined
    ? `commit ${number} is there; no digest was given to compare`
    : `found: commit ${number} has this digest`;
}

/** The log counts them, also those of a file that is gone. */
function countedNote(problems: VerifyReport['problems']): string {
  const isLost = problems.some(({ path }) => path.startsWith('tables/'));
  return isLost ? ': as the log counts them, with those of the files below' : '';
}

/** What to do next with an archive that is damaged still. */
export function afterVerify({ report, repair, isHeadKept = false }: Verified): NextStep {
  return repair && !repair.problems.some(isOfHead)
    ? afterRepair(repair.problems, repair.artifacts.lost)
    : afterDamage({ ...report, isHeadKept });
}

function nextOf(verified: Verified): NextStep | undefined {
  const { report, repair, comparison } = verified;
  if ((repair?.problems ?? report.problems).length > 0) return afterVerify(verified);
  return comparison && archiveIsBehind(comparison) ? ARCHIVE_IS_BEHIND : undefined;
}

/** Empty for a log without signatures, unless a key was given. */
function signaturesJson(signatures: SignatureReport) {
  return signatures.signed > 0 || signatures.checked ? { signatures } : {};
}

function signaturesText(report: SignatureReport): string | null {
  const { checked, signed, valid, redacted, unsigned, keys } = report;
  if (signed === 0) return null;
  const by = `key ${keys.join(', ')} (SHA-256)`;
  if (!checked) {
    const hint = 'pass --public-key to check the signatures';
    return `${counted(signed, 'commit')} signed by ${by}, not checked: ${hint}`;
  }
  const parts = [`${valid} of ${counted(signed, 'commit')} valid, by ${by}`];
  if (redacted > 0) parts.push(`${redacted} redacted by an erasure, whose receipt is signed`);
  if (unsigned > 0) parts.push(`${counted(unsigned, 'commit')} without a signature`);
  return parts.join('; ');
}

/** Empty where there are none, unless certificates were given. */
function timestampsJson(timestamps: TimestampReport) {
  return timestamps.tokens > 0 || timestamps.checked ? { timestamps } : {};
}

function timestampsText({ checked, tokens, newest }: TimestampReport): string | null {
  if (tokens === 0) return null;
  const how = checked ? 'signatures checked' : 'signatures not checked: pass --timestamp-ca';
  const until = newest
    ? `commit ${newest.commit} and all before it existed on ${secondText(newest.at)}`
    : 'none of them is right';
  return `${counted(tokens, 'token')}, ${how}; ${until}`;
}

function retentionJson({ retained, earliestEndMs, modes, unprotected }: RetentionReport) {
  return { retained, earliest_end: new Date(earliestEndMs).toISOString(), modes, unprotected };
}

function retentionText({ retained, earliestEndMs, modes, unprotected }: RetentionReport): string {
  const until = dayOf(earliestEndMs);
  const without = unprotected.length === 0 ? '' : `, ${unprotected.length} without`;
  return `${counted(retained, 'object')} until ${until} or later (${modes.join(', ')})${without}`;
}

function slicesText({ read, of, oldest }: SlicesReport): string {
  const what = read.length === of ? 'all slices' : someSlices(read, of);
  return oldest === null ? what : `${what}; every file since ${oldest.slice(0, 10)}`;
}

function someSlices(read: SlicesReport['read'], of: number): string {
  if (read.length === 0) return 'only new files: no slice is due';
  return `new files, and ${agreeing(read.length, 'slice', 'slices')} ${read.join(', ')} of ${of}`;
}

/** Null if there are none. */
function replacedText({ files, bytes }: VerifyReport['replaced']): string | null {
  if (files === 0) return null;
  return `${counted(files, 'file')}, ${formatByteSize(bytes)}, until their grace period is over`;
}

function repairJson({ held, orphans, artifacts, snapshots, delta, workbooks }: RepairReport) {
  return {
    held,
    quarantine: orphans.quarantine,
    moved: orphans.moved,
    artifacts_mended: artifacts.repaired,
    artifacts_lost: artifacts.lost,
    snapshots_removed: snapshots,
    delta_rebuilt: delta,
    workbooks_rebuilt: workbooks,
  };
}

function serviceJson({ users, sessions, equalJobs, differences }: Comparison) {
  return { users, sessions, equal_jobs: equalJobs, differences };
}

function repairView({ held, orphans, artifacts, snapshots, delta, workbooks }: RepairReport): View {
  const moved =
    orphans.quarantine === null
      ? 'none moved'
      : `${orphans.moved.length} moved to ${orphans.quarantine}`;
  const young = orphans.young.length === 0 ? '' : `, ${orphans.young.length} left in place`;
  return {
    headline: 'Repair',
    facts: [
      ['held back', held],
      ['orphans', moved + young],
      ['artifacts', `${artifacts.repaired.length} restored, ${artifacts.lost.length} still lost`],
      ['snapshots', `${snapshots.length} removed`],
      [
        'Delta tables',
        delta.length > 0 ? `${counted(delta.length, 'object')} rebuilt from the log` : null,
      ],
      ['workbooks', workbooks.length > 0 ? `${workbooks.length} made again` : null],
    ],
    lists: [{ items: artifacts.lost.map(({ path, reason }) => `${path}: ${reason}`) }],
  };
}

function comparisonView({ users, sessions, equalJobs, differences }: Comparison): View {
  const countOf = (kind: Difference['kind']): string => {
    const ofKind = differences.filter((difference) => difference.kind === kind);
    const questions = ofKind.filter(({ job }) => job !== null).length;
    const lists = ofKind.filter(({ session }) => session === null).length;
    const conversations = ofKind.length - questions - lists;
    const counts = [
      lists > 0 && counted(lists, 'list of conversations', 'lists of conversations'),
      conversations > 0 && counted(conversations, 'conversation'),
      questions > 0 && counted(questions, 'question'),
    ].filter((text) => text !== false);
    return counts.join(', ') || '0';
  };
  return {
    headline: 'Against the service',
    facts: [
      ['compared', `${counted(users, 'user')}, ${counted(sessions, 'conversation')}`],
      ['equal', counted(equalJobs, 'question')],
      ['only there', countOf('service_only')],
      ['only here', countOf('archive_only')],
      ['changed', countOf('changed')],
      ['not read', countOf('unread')],
    ],
    lists: [{ items: differences.map(differenceItem), most: LISTED_DIFFERENCES }],
  };
}

function differenceItem({ user, session, job, note }: Difference): string {
  return `${placeText({ user, session, job })}: ${note}`;
}
