/** What one look at a setup has shown. */
import type { FailureKind } from '../base/error.js';

export interface Finding {
  /** One or two words: `page size`. */
  readonly check: string;
  /** `unknown`: something before it failed, so that it could not be looked at. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly told: string;
  /** What to do about it; null where nothing needs to be done. */
  readonly mend: string | null;
  /** Of a failed check: what an export would end with. */
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
