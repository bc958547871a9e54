/** `--accept-unfetched`, repeated or with commas between, as kinds of files the way `artifacts.kind` has them. */
import { UsageError } from '../base/usage-error.js';

const KIND = /^[A-Z][A-Z0-9_-]{0,63}$/;

/** @throws {UsageError} one of them cannot be a kind */
export function acceptedKinds(given: readonly string[] | undefined): ReadonlySet<string> {
  const kinds = (given ?? []).flatMap((one) => one.split(',')).map((one) => one.trim());
  for (const kind of kinds) {
    if (KIND.test(kind.toUpperCase())) continue;
    const allowed = 'allowed are kinds of files, such as MARKDOWN_IMAGE or CHART_INFO';
    throw new UsageError(`--accept-unfetched: ${JSON.stringify(kind)} is no kind; ${allowed}`);
  }
  return new Set(kinds.map((kind) => kind.toUpperCase()));
}
