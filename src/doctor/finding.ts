/** The result of one check. */
import type { FailureKind } from '../base/error.js';

export interface Finding {
  /** One or two words: `page size`. */
  readonly check: string;
  /** `unknown`: not checked, because an earlier check failed. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly told: string;
  /** What to do; null where nothing is to do. */
  readonly mend: string | null;
  /** The failure of an export; null unless the check failed. */
  readonly failure: FailureKind | null;
}

export function ok(check: string, told: string): Finding {
  return { check, status: 'ok', told, mend: null, failure: null };
}

export function warning(check: string, told: string, mend: string): Finding {
  return { check, status: 'warning', told, mend, failure: null };
}

export function failed(check: string, told: string, mend: string, failure: FailureKind): Finding {
  return { check, status: 'failed', told, mend, failure };
}

export function unknown(check: string, told: string): Finding {
  return { check, status: 'unknown', told, mend: null, failure: null };
}
