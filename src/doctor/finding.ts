/** The result of one check. */
import type { FailureKind } from '../base/error.js';

export interface Finding {
  /** One or two words: `page size`. */
  readonly check: string;
  /** `unknown`: not checked, because an earlier check failed. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly message: string;
  /** How to fix it; null if there is nothing to fix. */
  readonly fix: string | null;
  /** How an export would fail; null unless the check failed. */
  readonly failure: FailureKind | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, fix: null, failure: null };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix, failure: null };
}

export function failed(check: string, message: string, fix: string, failure: FailureKind): Finding {
  return { check, status: 'failed', message, fix, failure };
}

export function unknown(check: string, message: string): Finding {
  return { check, status: 'unknown', message, fix: null, failure: null };
}
