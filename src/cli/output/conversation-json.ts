/** A conversation as `show --json` prints it: its times are ISO 8601 texts, as in every other output. */
import type { Conversation } from '../../archive/reading/conversation.js';
import { formatTimestamp } from '../../model/times/timestamp.js';
import { TABLES } from '../../model/tables.js';

const TIMES: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ columns }) => columns.filter(({ type }) => type === 'ts')).map(
    ({ name }) => name,
  ),
);

export function conversationJson(conversation: Conversation): object {
  const { caveats, ...shown } = conversation;
  return { ...(withTimes(shown) as object), caveats };
}

function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes);
  if (typeof value !== 'object' || value === null) return value;
  const cells = Object.entries(value).map(([name, cell]: [string, unknown]) => {
    const isTime = typeof cell === 'bigint' && TIMES.has(name);
    return [name, isTime ? formatTimestamp(cell) : withTimes(cell)] as const;
  });
  return Object.fromEntries(cells);
}
