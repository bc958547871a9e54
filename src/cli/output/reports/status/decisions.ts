/** What people have decided about an archive: erasures, holds, requests. */
import { whereErasedIs } from '../../../../archive/erasing/erasures.js';
import { workText } from '../../../../archive/notes/change-requests.js';
import { onArchive, step } from '../../../../base/next-step.js';
import { clauses } from '../../../../base/text/clauses.js';
import { agreeing, counted } from '../../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import type { Text } from '../../aligned.js';
import { requestStateTexts } from '../../../../archive/reading/requests/request-state.js';

/** Null of none. */
export function erasuresText({ erasures }: Pick<ArchiveStatus, 'erasures'>): Text | null {
  const { count, last } = erasures;
  if (count === 0) return null;
  const when = `${count === 1 ? 'of' : 'the last of'} ${last?.slice(0, 10) ?? ''}`;
  return step`${count}, ${when}: ${whereErasedIs(erasures)}; ${onArchive('erase', '--list')} says how much it was`;
}

export function openErasureText({ commit }: ArchiveStatus['open_erasures'][number]): Text {
  return step`the erasure of commit ${commit}: what it erases may still be there; the next run goes on with it, and ${onArchive('verify')} says what is in its way`;
}

export function openRequestText(asked: ArchiveStatus['open_requests'][number]): string {
  const { request, by, since } = asked;
  return clauses(
    '; ',
    `${request}, asked by ${by} (${since.slice(0, 10)}): ${workText(asked)}`,
    ...requestStateTexts({ ...asked, isOpen: true }),
  );
}

/** What the caveats do not tell: holds of whom or of what the archive has nothing; null of none. */
export function holdsText({
  holds,
  caveats,
}: Pick<ArchiveStatus, 'holds' | 'caveats'>): Text | null {
  const binding = caveats.find(({ kind }) => kind === 'hold')?.count ?? 0;
  const others = holds - binding;
  if (others <= 0) return null;
  const bind = counted(others, 'hold in force binds', 'holds in force bind');
  return step`${bind} nothing that is here; ${onArchive('hold list')} names ${agreeing(others, 'it', 'them')}`;
}
