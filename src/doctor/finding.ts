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
  /** The failed check that is the reason why this one was not made; null of every other finding. */
  readonly because: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, fix: null, failure: null, because: null };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix, failure: null, because: null };
}

export function failed(check: string, message: string, fix: string, failure: FailureKind): Finding {
  return { check, status: 'failed', message, fix, failure, because: null };
}

/** @param because the check that has failed; default: there is another reason, which the message says */
export function unknown(check: string, message: string, because: string | null = null): Finding {
  return { check, status: 'unknown', message, fix: null, failure: null, because };
}
