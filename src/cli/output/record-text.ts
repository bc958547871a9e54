/** Formats a record of the service for people: one field per line. */
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
 * Formats a field as a cell: absent and null are empty, lists are separated by semicolons, signatures of
 * URLs are masked.
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
