/** What a pack says of the search that chose its jobs: `search.json`. */
import type { Archive } from '../archive/archive.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import type { SearchChoice } from '../search/search-choice.js';
import type { SearchFacts } from '../search/search-facts.js';
import type { Making } from '../making/making.js';

export interface PackSearchStatement extends SearchFacts {
  /** What qualifies the pack, what is missing first. */
  readonly caveats: readonly Caveat[];
  readonly match: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The commit that was searched. */
  readonly commit: number;
}

export interface StatementParts {
  readonly archive: Archive;
  readonly making: Making;
  readonly search: SearchChoice;
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  readonly caveats: readonly Caveat[];
  /** ISO 8601 */
  readonly madeAt: string;
}

interface StatedSearch {
  readonly statement: PackSearchStatement;
  /** `search.json` */
  readonly json: string;
}

/** @returns undefined of a pack without a search */
export function stateSearch({
  archive,
  making,
  caveats,
  search,
  users,
  sessions,
  madeAt,
}: StatementParts): StatedSearch | undefined {
  const { found } = making;
  const { asOf } = making;
  if (!found) return undefined;
  const statement: PackSearchStatement = {
    match: search.match ?? null,
    from: search.from ?? null,
    to: search.to ?? null,
    commit: asOf?.number ?? 0,
    ...found.facts,
    caveats,
  };
  const body = {
    archive: archive.identity.id,
    head: asOf?.digest ?? null,
    users: users.length > 0 ? users : null,
    sessions: sessions.length > 0 ? sessions : null,
    made_at: madeAt,
    tool: archive.tool,
    ...statement,
  };
  return { statement, json: `${JSON.stringify(body, null, 1)}\n` };
}
