/** What stands below every page: of which archive and commit it is; and what of it is shown. */
import type { Archive } from '../../archive/archive.js';
import { choiceText, type SearchChoice } from '../../search/search-choice.js';
import { hitCountText } from '../../search/search-facts.js';
import type { Survey } from '../../making/survey.js';
import { isDay } from '../../model/times/timestamp.js';
import { minuteOf } from '../../model/times/when.js';

interface ShownPart extends SearchChoice {
  readonly users?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
}

export interface AboutLines {
  /** Which state of the archive is shown: below every sheet. */
  readonly onEverySheet: readonly string[];
  /** Paper has it on the first sheet alone. */
  readonly once: readonly string[];
}

/** What the page says of the archive, but not where it lies: the report may go to others. */
export function aboutLines(
  { identity, tool }: Archive,
  { making: { asOf, readUntil } }: Survey,
  madeAt: number,
  by: string | undefined,
): AboutLines {
  const exported =
    readUntil === null
      ? 'nobody was listed'
      : `exported ${isDay(readUntil) ? `on ${readUntil}` : minuteOf(Date.parse(readUntil))}`;
  const newest =
    asOf === null ? 'its log is empty' : `as of commit ${asOf.number}, digest ${asOf.digest}`;
  return {
    onEverySheet: [exported, newest],
    once: [
      `Archive of ${identity.service.base_url}`,
      `made ${minuteOf(madeAt)} by ${by === undefined ? tool : `${by} with ${tool}`}`,
      'times are UTC',
    ],
  };
}

/** What of the archive is shown, and how much was looked at; undefined where all of it is shown. */
export function partText(options: ShownPart, { making: { found } }: Survey): string | undefined {
  const { users = [], sessions = [] } = options;
  const kept = [
    ...(users.length === 0 ? [] : [named('user', users)]),
    ...(sessions.length === 0 ? [] : [named('conversation', sessions)]),
    ...(found ? [`questions ${choiceText(options)}: ${hitCountText(found.facts)}`] : []),
  ];
  if (kept.length === 0) return undefined;
  return `A part of the archive: only ${kept.join('; only ')}`;
}

function named(what: string, ids: readonly string[]): string {
  return `${what}${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
}
