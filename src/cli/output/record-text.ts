/** One record of the service for people: a field a line, whatever fields there are. */
import { maskedValue } from '../../model/mask-secrets.js';
import type { JsonObject } from '../../model/records.js';
import { aligned } from './aligned.js';
import { visible } from './visible.js';

export function recordText(record: JsonObject): string {
  return aligned(
    Object.entries(record).map(([field, value]) => [visible(field), fieldText(value)]),
  );
}

/**
 * A field of a record as a cell: absent and null are empty, lists are separated by semicolons, and no URL
 * has its signature.
 */
export function fieldText(field: unknown): string {
  const value = maskedValue(field);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return visible(value).trimEnd().replaceAll('\n', '\n    ');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return visible(value.join('; '));
  }
  return visible(JSON.stringify(value));
}
