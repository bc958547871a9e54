/** A setting's value as it may be shown: no password, no token, whatever form it comes in. */
import { redactText } from '../base/redact.js';
import type { Setting } from './setting.js';

/** Something is set, and that is all that is told. */
const HIDDEN = '*** (set, not shown)';

export function masked({ isSecret }: Setting, value: unknown): unknown {
  return isSecret ? HIDDEN : clean(value);
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === 'string' ? redactText(value) : value;
}
