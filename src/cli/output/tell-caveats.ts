/** Tells the caveats of an answer on stderr, in the log's own format, where stdout has rows for programs. */
import {
  caveatText,
  headlineClauseOf,
  headlineOf,
} from '../../archive/reading/caveats/caveat-text.js';
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import type { Invocation } from '../command.js';
import { placeOf } from '../command-place.js';
import type { CommandPlace } from '../../base/next-step.js';
import { aligned } from './aligned.js';
import { caveatRows } from './caveat-rows.js';
import { formatFor } from './cli-logger.js';
import { folded } from './folded-text.js';
import { terminalWidth } from './terminal.js';
import { visibleLine } from '../../base/text/visible.js';

/** What qualifies an answer from each archive, by where it is. */
export type CaveatsByArchive = ReadonlyMap<string, readonly Caveat[]>;

/** The same, as JSON has them. */
export type CaveatsToldByArchive = ReadonlyMap<string, readonly CaveatTold[]>;

type CaveatTold = Omit<Caveat, 'next'> & { readonly next: string | null };

/** As JSON has them: with the commands that people read. @param place of their archive */
export function caveatsTold(caveats: readonly Caveat[], place: CommandPlace): CaveatTold[] {
  return caveats.map((caveat) => ({ ...caveat, next: caveat.next?.text(place) ?? null }));
}

type Telling = Pick<Invocation, 'terminal' | 'logger' | 'sources'> & {
  readonly settings: Pick<Invocation['settings'], 'logLevel' | 'logFormat'>;
};

/** Nothing where there is nothing to say. A log level that leaves out warnings or information leaves out these, too. */
export function tellCaveats(caveats: CaveatsByArchive, telling: Telling): void {
  const isJson = formatFor(telling.terminal, telling.settings.logFormat) === 'json';
  for (const [archive, all] of caveats) {
    const told = all.filter((caveat) => isTold(caveat, telling.settings.logLevel));
    if (told.length === 0) continue;
    const headline =
      caveats.size === 1 ? headlineOf(all) : `${visibleLine(archive)}: ${headlineClauseOf(all)}`;
    const place = placeOf(telling.sources, archive);
    if (isJson) logCaveats(told, headline, { logger: telling.logger, place });
    else {
      const { stderr } = telling.terminal;
      const rows = aligned(caveatRows(told), place);
      stderr.write(folded(`${headline}\n${rows}`, terminalWidth(stderr)));
    }
  }
}

/** A line for the headline and for each. */
function logCaveats(
  told: readonly Caveat[],
  headline: string,
  { logger, place }: Pick<Telling, 'logger'> & { readonly place: CommandPlace },
): void {
  const level = told.some(isWarning) ? 'warn' : 'info';
  logger[level]({}, headline);
  for (const caveat of told) {
    const { kind, severity, count, open } = caveat;
    const text = caveatText(caveat).text(place);
    logger[isWarning(caveat) ? 'warn' : 'info']({ kind, severity, count, open }, text);
  }
}

/** A note says that nothing is missing. */
function isWarning({ severity }: Caveat): boolean {
  return severity !== 'note';
}

function isTold(caveat: Caveat, level: Telling['settings']['logLevel']): boolean {
  if (level === 'error' || level === 'silent') return false;
  return level !== 'warn' || isWarning(caveat);
}
