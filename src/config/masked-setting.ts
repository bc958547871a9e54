/** Masks secrets in a setting's value. */
import { secretsInAddress, shownAddress } from '../base/text/address.js';
import { redactText } from '../base/text/redact.js';
import type { Setting } from './setting.js';

/** Stands for a value that is set. */
const HIDDEN = '*** (set, not shown)';

/** By what the setting is: also a value that is not valid, and would be refused, is masked. */
export function masked({ isSecret, isAddress }: Setting, value: unknown): unknown {
  if (isSecret) return HIDDEN;
  return clean(value, isAddress ? shownAddress : redactText);
}

/** What must not stand in any message, if the setting has this value. */
export function secretsOf({ isSecret, isAddress }: Setting, value: unknown): string[] {
  if (typeof value !== 'string') return [];
  return [...(isSecret ? [value] : []), ...(isSecret || isAddress ? secretsInAddress(value) : [])];
}

function clean(value: unknown, cleaned: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => clean(element, cleaned));
  return typeof value === 'string' ? cleaned(value) : value;
}
