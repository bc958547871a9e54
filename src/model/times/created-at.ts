/**
 * Reads the creation time from an id that embeds one. The service does not document its ids, so what looks like a cuid is
 * a guess: unlike a UUID it has nothing that says what it is. What is made of a time: `created_at` and the bounds of the
 * jobs beside it, periods, the order of jobs, when an answer counts as settled, and the age of a session, by which
 * `prune` and `expire` choose. A wrong one would place a job in a wrong week, and could make a session look old. So a
 * cuid needs a second witness: a year in which the service can have made it, and in a history no other id of the same
 * form that cannot be one. What a single id tells (of a session, of a history of one job) has the year alone: of 25
 * random letters and digits that begin with `c` one in five has it, of any 25 one in 180.
 */

export interface CreatedAt {
  /** Microseconds since 1970 UTC; the ids resolve milliseconds. */
  readonly micros: bigint;
  readonly source: 'cuid' | 'uuid7' | 'ulid';
}

const CUID = /(?:^|[-_:.])c([0-9a-z]{8})[0-9a-z]{16}$/;
const UUID7 =
  /(?:^|[-_:.])([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** All upper case or all lower case: by the specification, decoding ignores case. */
const ULID =
  /(?:^|[-_:.])(?:([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}|([0-7][0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{16})$/;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An id with a time outside these years is not a UUID 7 or a ULID. */
const YEARS = [Date.UTC(2015, 0, 1), Date.UTC(2100, 0, 1)] as const;
/** The years of cuids, whose eight digits hold no year but 1970 to 2059: assistants of this kind are younger than 2022. */
const YEARS_OF_CUIDS = [Date.UTC(2022, 0, 1), Date.UTC(2040, 0, 1)] as const;

/**
 * The creation time that a cuid, a UUID version 7 or a ULID embeds, with or without a prefix such as
 * `job-`; `undefined` for every other id.
 */
export function createdAtOf(id: string): CreatedAt | undefined {
  const cuid = CUID.exec(id);
  if (cuid?.[1]) return within(parseInt(cuid[1], 36), 'cuid');
  const uuid7 = UUID7.exec(id);
  if (uuid7?.[1] && uuid7[2]) return within(parseInt(uuid7[1] + uuid7[2], 16), 'uuid7');
  const ulid = ULID.exec(id);
  const time = ulid?.[1] ?? ulid?.[2];
  return time === undefined ? undefined : within(crockford(time.toUpperCase()), 'ulid');
}

/** As long as a cuid, of the same characters, and not all letters. */
const FORM_OF_CUID = /(?:^|[-_:.])(?=[a-z]*[0-9])[0-9a-z]{25}$/;

/** What the ids of one history tell together. */
export interface IdTimes {
  /** In the order of the ids; null where one tells no time. */
  readonly times: readonly (CreatedAt | null)[];
  /** Whether one of them has the form of a cuid and cannot be one: then it is chance where another one can. */
  readonly haveFormByChance: boolean;
}

/** @param isByChance whether that is known of other ids of the history */
export function timesIn(ids: readonly string[], isByChance = false): IdTimes {
  const exact = ids.map((id) => createdAtOf(id) ?? null);
  const haveFormByChance =
    isByChance || ids.some((id, at) => exact[at] === null && FORM_OF_CUID.test(id));
  const times = haveFormByChance
    ? exact.map((time) => (time?.source === 'cuid' ? null : time))
    : exact;
  return { times, haveFormByChance };
}

function within(ms: number, source: CreatedAt['source']): CreatedAt | undefined {
  const [earliest, latest] = source === 'cuid' ? YEARS_OF_CUIDS : YEARS;
  if (ms < earliest || ms >= latest) return undefined;
  return { micros: BigInt(ms) * 1000n, source };
}

function crockford(digits: string): number {
  return Array.from(digits).reduce((ms, digit) => ms * 32 + CROCKFORD.indexOf(digit), 0);
}
