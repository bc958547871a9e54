/** Gaps and doubtful files: what is not as it should be, and where. */
import { filePlaceText, placeText } from './place-text.js';
import { groupBy } from '../../../base/group-by.js';
import { step } from '../../../base/next-step.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import {
  DOUBTFUL_CONTENT,
  SUSPICIOUS_FILES,
} from '../../../archive/reading/caveats/what-to-know.js';
import type { Gap } from '../../../export/jobs/gap.js';
import type { Fact, Text } from '../aligned.js';
import { visibleLine } from '../../../base/text/visible.js';

/** Gaps by status, with one example each; those that somebody has accepted come last. */
export function gapFacts(gaps: readonly Gap[]): Fact[] {
  const open = gaps.filter(({ accepted }) => accepted !== true);
  const accepted = gaps.filter((gap) => gap.accepted === true);
  const groups: [string, readonly Gap[]][] = [
    ...[...groupBy(open, ({ status }) => status)].toSorted(([, a], [, b]) => b.length - a.length),
    ...(accepted.length === 0 ? [] : [['accepted', accepted] as [string, readonly Gap[]]]),
  ];
  return [
    ['gap', 'count', 'for example'],
    ...groups.map(
      ([status, group]) => [status, group.length, group.slice(0, 1).map(gapLine).join('')] as const,
    ),
  ];
}

function gapLine({ user, session, job, reason, ...gap }: Gap): string {
  return visibleLine(`${placeText({ user, session, job })}${filePlaceText(gap)}: ${reason}`);
}

/** What is wrong with suspicious files, until when, and how to list them; null without any. */
export function suspiciousText(files: number): Text | null {
  if (files === 0) return null;
  const what = `doubtful content: ${DOUBTFUL_CONTENT}`;
  const [it, they] = [agreeing(files, 'it', 'them'), agreeing(files, 'it is', 'they are')];
  const shown = they.slice(0, 1).toUpperCase() + they.slice(1);
  const until = `stored as the service sent ${it}, with ${what}; so until the service sends others`;
  return step`${counted(files, 'file')} ${until}. ${shown} listed, with reasons, by ${SUSPICIOUS_FILES}`;
}
