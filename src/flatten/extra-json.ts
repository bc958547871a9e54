/** The fields of a record that have no column, so that nothing that the service sent is dropped. */
import type { JsonObject, Verbatim } from '../model/records.js';
import { textWithout } from '../model/json-spans.js';

/** For each known field, whether a value fits its column. */
export type KnownFields = Readonly<Record<string, (value: unknown) => boolean>>;

export const fitsText = (value: unknown): boolean => typeof value === 'string';

export const fitsInt32 = (value: unknown): boolean =>
  typeof value === 'number' && value === (value | 0);

/**
 * The record's own JSON without the fields that have a column; null when none is left. A known field
 * whose value does not fit its column stays, under its own name; so does an explicit null, since the
 * column is null for an absent field, too.
 */
export function extraJson(record: Verbatim<JsonObject>, known: KnownFields): string | null {
  const placed = Object.keys(known).filter(
    (name) => Object.hasOwn(record.value, name) && known[name]?.(record.value[name]),
  );
  return textWithout(record.text, new Set(placed));
}
