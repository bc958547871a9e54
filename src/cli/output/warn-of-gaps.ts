/** One line of level warn at the end of a run that is not whole: what is missing, and what of that is new. */
import { groupBy } from '../../base/group-by.js';
import {
  type CommandLine,
  type CommandPlace,
  commandText,
  onArchive,
} from '../../base/next-step.js';
import type { Logger } from '../../base/logger.js';
import type { ExportSummary } from '../../export/export-summary.js';
import { countGaps, type Gap, type RunGapCounts } from '../../export/jobs/gap.js';
import type { PruneSummary } from '../../prune/prune-summary.js';
import { gapCountTexts } from '../../model/gap-counts.js';
import { clauses } from '../../base/text/clauses.js';
import { agreeing, counted } from '../../base/text/counted.js';
import { placeText } from './texts/place-text.js';
import { LAP_OVERDUE } from './texts/lap-texts.js';

/** Warns of gaps, so that a nightly run that prints only warnings still says it. Says nothing where nothing is missing. */
export function warnOfGaps(
  logger: Logger,
  {
    place,
    gaps,
    budget,
    gap_counts: counts = countGaps(gaps),
    users: { total: asked = 0, not_finished: notFinished = 0 } = {},
  }: {
    /** Where a run ended early. */
    readonly users?: Readonly<Partial<Record<string, number>>>;
    readonly budget?: Pick<NonNullable<ExportSummary['budget']>, 'overdue'> | null | undefined;
    /** Where the archive is. */
    readonly place: CommandPlace;
    readonly gaps: readonly Gap[];
    /** Where `gaps` are only the first of them, as of a fleet. */
    readonly gap_counts?: RunGapCounts;
  },
  pruned?: PruneSummary,
): void {
  const refused = (pruned?.sessions ?? []).filter(({ outcome }) => outcome === 'refused');
  const missing = clauses(
    '; ',
    partOf('gap', counts.gaps, counts.new_gaps),
    partOf('doubt', counts.doubts, counts.new_doubts),
    notFinished > 0 && `${notFinished} of ${counted(asked, 'user')} not finished`,
    budget?.overdue === true && LAP_OVERDUE,
    refused.length > 0 && `${counted(refused.length, 'deletion')} refused (${reasonsOf(refused)})`,
  );
  if (missing === '') return;
  const { accepted_gaps: acceptedGaps, accepted_doubts: acceptedDoubts } = counts;
  const accepted = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  const open = gaps.filter(({ accepted }) => accepted !== true);
  const damaged = refused.filter(({ reason }) => reason === 'damaged');
  const total = counts.gaps + counts.doubts;
  const command = listOf(open, total) ?? (damaged.length > 0 ? REPAIR : undefined);
  const next = command ? `. Next: ${commandText(command, place)}` : '';
  const added = counts.new_gaps + counts.new_doubts;
  logger.warn(
    { gaps: total, new: added, accepted: acceptedGaps + acceptedDoubts, refused: refused.length },
    `${[missing, ...accepted].join('; ')}${firstOpen(open)}${firstRefused([...damaged, ...refused])}${next}`,
  );
}

const REPAIR = onArchive('verify', '--repair');

/** What lists them: where all are known, and of one user, the status of that. */
function listOf(open: readonly Gap[], total: number): CommandLine | undefined {
  const [first] = open;
  if (!first) return undefined;
  const isOfOne = total <= open.length && open.every(({ user }) => user === first.user);
  return isOfOne ? onArchive('status', '--user', first.user) : onArchive('gap list');
}

/** The first new one, or the first of all. */
function firstOpen(open: readonly Gap[]): string {
  const firstNew = open.find(({ known }) => known !== true);
  const first = firstNew ?? open[0];
  if (!first) return '';
  return `. ${firstNew ? 'First new' : 'First'}: ${placeText(first)}: ${first.status}`;
}

/** Null of none. */
function partOf(noun: string, all: number, added: number): string | null {
  if (all === 0) return null;
  const known = all - added;
  const text = added === 0 ? `no new ${noun}` : counted(added, `new ${noun}`);
  if (known === 0) return text;
  return `${text}, ${counted(known, noun)} that ${agreeing(known, 'was', 'were')} told before`;
}

/** `gap 2, hold 1` */
function reasonsOf(refused: PruneSummary['sessions']): string {
  return [...groupBy(refused, ({ reason }) => reason ?? 'unknown')]
    .map(([reason, sessions]) => `${reason} ${sessions.length}`)
    .join(', ');
}

/** The first refusal, so that a mail of the night says why. */
function firstRefused([first]: PruneSummary['sessions']): string {
  if (first === undefined) return '';
  const { reason, detail } = first;
  return `. First refused: ${placeText({ user: first.user, session: first.session })}: ${detail ?? reason ?? 'unknown'}`;
}
