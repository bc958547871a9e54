/** What the first page says beside its caveats: for which request it is made, and which holds bind. */
import { dayOf } from '../../model/times/timestamp.js';
import type { Archive } from '../../archive/archive.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import type { PageNote } from './index-html.js';
import type { HoldLine } from '../../making/hold-line.js';
import type { Survey } from '../../making/survey.js';

/** What a report is called that nobody gives a title. */
export function reportTitle(
  { identity }: Archive,
  request: Pick<RequestRecord, 'name'> | undefined,
): string {
  if (request) return `Report for the request ${request.name}`;
  const { project, base_url: baseUrl } = identity.service;
  return `Archive of ${project ?? new URL(baseUrl).host}`;
}

export function requestNotes(
  request: Pick<RequestRecord, 'name' | 'reason' | 'by' | 'since'> | undefined,
): PageNote[] {
  if (!request) return [];
  const { name, reason, by, since } = request;
  const line = `${name} of ${since.slice(0, 10)}, asked by ${by}: ${reason}`;
  return [{ heading: 'Made for a request', lines: [line] }];
}

const MOST_HOLDS = 20;

/** The holds that bind whom a request is about, as the pack and the workbook for it tell them. */
export function heldNotes({ users, people, making }: Survey): PageNote[] {
  const nameOf = (user: string, session: string): string =>
    making.reading.titleOf(user, session) ?? session;
  const told = [...users.values()].flatMap(({ user, holds, sessions }) => {
    const person = people.get(user) ?? user;
    return [
      ...holds.map((hold) => heldText(hold, `user ${'withheld' in hold ? person : hold.user}`)),
      ...sessions.flatMap(({ session, holds: all }) =>
        all
          .filter((hold) => !holds.some((userHold) => isSameHold(userHold, hold)))
          .map((hold) => heldText(hold, `conversation ${nameOf(user, session)} of ${person}`)),
      ),
    ];
  });
  // a hold binds every spelling of its user, and is one
  const lines = [...new Set(told)];
  if (lines.length === 0) return [];
  const more = lines.length - MOST_HOLDS;
  const shown = more > 0 ? [...lines.slice(0, MOST_HOLDS), `and ${more} more`] : lines;
  return [{ heading: 'Holds', lines: shown }];
}

/** A hold on a user is shown with each session, too. */
function isSameHold(one: HoldLine, other: HoldLine): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function heldText(hold: HoldLine, subject: string): string {
  if ('withheld' in hold) return `${subject}: ${hold.withheld}`;
  const since = dayOf(hold.since);
  const what = subject.slice(0, 1).toUpperCase() + subject.slice(1);
  return `${what} is on hold since ${since}: ${hold.reason} (asked by ${hold.by})`;
}
