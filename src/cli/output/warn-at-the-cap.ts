/** One line of level warn at the end of each run that lists users at the cap: their oldest conversations are lost soon. */
import type { CommandPlace } from '../../base/next-step.js';
import type { Logger } from '../../base/logger.js';
import { atTheCapStep } from './texts/user-texts.js';

export function warnAtTheCap(
  logger: Logger,
  {
    place,
    at_the_cap: users = [],
  }: { readonly place: CommandPlace; readonly at_the_cap?: readonly string[] },
): void {
  const text = atTheCapStep(users.length, users);
  if (text) logger.warn({ users: users.length }, text.text(place));
}
