/** The beginning of README.txt: what the pack is, who has made it, and how much it has. */
import { headlineOf } from '../../archive/reading/caveats/caveat-text.js';
import { shownLine } from '../../base/text/visible.js';
import { minuteText } from '../../model/times/timestamp.js';
import type { ProductRequest } from '../../making/making.js';
import type { PackFacts } from '../pack-facts.js';
import { shortLines } from '../readme-lines.js';

export function aboutSection(facts: PackFacts): string {
  const { identity, packed, caveats, madeAt, tool, request, organization, by } = facts;
  const { readUntil } = facts.making;
  const exported = readUntil === null ? '' : `,\nexported ${minuteText(readUntil)}`;
  const { project } = identity.service;
  const handedOver = organization === undefined ? '' : `\nHanded over by ${organization}.\n`;
  const maker = by === undefined ? tool : `${shownLine(by)} with ${tool}`;
  const named = project === null ? '' : ` (project "${project}")`;
  return `EVIDENCE PACK

${shortLines(headlineOf(caveats))}
${handedOver}
Made ${madeAt} by ${maker}
from archive ${identity.id}
of ${identity.service.base_url}${named}${exported}.
${request === undefined ? '' : requestText(request)}
A conversation is what columns and ids in this pack call a session. A question, with its
answer, is what they call a job.

It has what the archive has of ${partOf(facts)}
in summary.csv:

  users           ${packed.people.size}  (who have conversations)
  conversations   ${packed.sessions}
  questions       ${packed.jobs}  (each with its answer, if there was one)
  records         ${packed.records}  (every version of every question)
  tables, images  ${packed.artifacts.size}  (each once)
`;
}

function requestText({ name, since, by, reason }: ProductRequest): string {
  return `\nMade for the request ${shownLine(name)}\nof ${since.slice(0, 10)}, asked by ${shownLine(by)}: ${shownLine(reason)}\n`;
}

function partOf({ making, search }: PackFacts): string {
  if (search !== null) return 'the questions that a search found, of the users';
  return making.selection.isNarrowed ? 'the named conversations of the users' : 'the users';
}
