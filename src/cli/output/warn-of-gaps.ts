/** One line of level warn at the end of a run that is not whole: what is missing, and what of that is new. */
import { groupBy } from '../../base/group-by.js';
import { type CommandPlace, commandText, onArchive } from '../../base/next-step.js';
import type { Logger } from '../../base/logger.js';
import type { ExportSummary } from '../../export/export-summary.js';
import { countGaps, type Gap, type RunGapCounts } from '../../export/jobs/gap.js';
import { sessionsOnce, type PruneSummary } from '../../prune/prune-summary.js';
import { gapCountTexts } from '../../model/gap-counts.js';
import { counted } from '../../base/text/counted.js';
import { placeText } from './aligned.js';

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
    /** Of the archive. */
    readonly place: CommandPlace;
    readonly gaps: readonly Gap[];
    /** Where `gaps` are only the first of them, as of a fleet. */
    readonly gap_counts?: RunGapCounts;
  },
  pruned?: PruneSummary,
): void {
  const open = gaps.filter(({ accepted }) => accepted !== true);
  const refused = sessionsOnce(pruned?.sessions ?? []).filter(
    ({ outcome }) => outcome === 'refused',
  );
  const damaged = refused.filter(({ reason }) => reason === 'damaged');
  const isDamaged = damaged.length > 0;
  const parts = [
    ...partOf('gap', counts.gaps, counts.new_gaps),
    ...partOf('doubt', counts.doubts, counts.new_doubts),
    ...(notFinished > 0 ? [`${notFinished} of ${counted(asked, 'user')} not finished`] : []),
    ...(budget?.overdue === true ? ['the lap takes longer than --max-staleness'] : []),
    ...(refused.length > 0
      ? [`${counted(refused.length, 'deletion')} refused (${reasonsOf(refused)})`]
      : []),
  ];
  if (parts.length === 0) return;
  const { accepted_gaps: acceptedGaps, accepted_doubts: acceptedDoubts } = counts;
  parts.push(...gapCountTexts({ ...counts, gaps: 0, doubts: 0 }));
  const firstNew = open.find(({ known }) => known !== true);
  const first = firstNew ?? open[0];
  const where = first
    ? `. ${firstNew ? 'First new' : 'First'}: ${placeText(first)}: ${first.status}`
    : '';
  const total = counts.gaps + counts.doubts;
  const isOfOne = first && total <= open.length && open.every(({ user }) => user === first.user);
  const list = isOfOne ? onArchive('status', '--user', first.user) : onArchive('gap list');
  const command = first ? list : isDamaged ? onArchive('verify', '--repair') : undefined;
  const next = command ? `. Next: ${commandText(command, place)}` : '';
  const added = counts.new_gaps + counts.new_doubts;
  logger.warn(
    { gaps: total, new: added, accepted: acceptedGaps + acceptedDoubts, refused: refused.length },
    `${parts.join('; ')}${where}${firstRefused([...damaged, ...refused])}${next}`,
  );
}

function partOf(noun: string, all: number, added: number): string[] {
  if (all === 0) return [];
  const known = all - added;
  const before = `${counted(known, noun)} that ${known === 1 ? 'was' : 'were'} told before`;
  const text = added === 0 ? `no new ${noun}` : counted(added, `new ${noun}`);
  return [known === 0 ? text : `${text}, ${before}`];
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
