/** A conversation as `show --json` prints it: its times are ISO 8601 texts, as in every other output. */
import type { Conversation } from '../../archive/reading/conversation.js';
import { knownTime } from '../../model/times/timestamp.js';
import { TABLES } from '../../model/tables.js';

const TIMES: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ columns }) => columns.filter(({ type }) => type === 'ts')).map(
    ({ name }) => name,
  ),
);

/** @param days columns of which the day alone is known */
export function conversationJson(conversation: Conversation, days: ReadonlySet<string>): object {
  const { caveats, ...shown } = conversation;
  return { ...(withTimes(shown, days) as object), caveats };
}

function withTimes(value: unknown, days: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withTimes(one, days));
  if (typeof value !== 'object' || value === null) return value;
  const cells = Object.entries(value).map(([name, cell]: [string, unknown]) => {
    const isTime = typeof cell === 'bigint' && TIMES.has(name);
    return [name, isTime ? knownTime(cell, days.has(name)) : withTimes(cell, days)] as const;
  });
  return Object.fromEntries(cells);
}
