/** Masks secrets in a setting's value. */
import { redactText } from '../base/text/redact.js';
import type { Setting } from './setting.js';

/** Stands for a value that is set. */
const HIDDEN = '*** (set, not shown)';

export function masked({ isSecret }: Setting, value: unknown): unknown {
  return isSecret ? HIDDEN : clean(value);
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === 'string' ? redactText(value) : value;
}
