/** Parses `--accept-unfetched`: kinds of files as in `artifacts.kind`, repeated or separated by commas. */
import { UsageError } from '../../base/error.js';

const KIND = /^[A-Z][A-Z0-9_-]{0,63}$/;

/** @throws {UsageError} a word is not a kind */
export function acceptedKinds(given: readonly string[] | undefined): ReadonlySet<string> {
  const kinds = (given ?? []).flatMap((entry) => entry.split(',')).map((kind) => kind.trim());
  for (const kind of kinds) {
    if (KIND.test(kind.toUpperCase())) continue;
    const allowed = 'allowed is a kind of file, such as MARKDOWN_IMAGE or CHART_INFO';
    throw new UsageError(`--accept-unfetched: ${JSON.stringify(kind)} is not a kind; ${allowed}`);
  }
  return new Set(kinds.map((kind) => kind.toUpperCase()));
}
