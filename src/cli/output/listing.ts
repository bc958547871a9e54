/** Reads a list: one page as the service returns it, or with --all every page, checked for completeness. */
import type { pagingSettings } from '../../config/service-command-settings.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import { UsageError } from '../../base/error.js';
import type { Verbatim } from '../../model/records.js';
import type { PageReader, PlacedPage } from '../../service/page-reader.js';
import { PagingError } from '../../service/service-errors.js';
import { readAll, type ListingVerdict } from '../../service/read-all.js';
import { counted } from '../../base/text/counted.js';
import type { CommandResult } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { View } from './view.js';

export interface Listed<T> {
  readonly records: readonly Verbatim<T>[];
  /** The keys of `--json` beside the records. */
  readonly head: Readonly<Record<string, unknown>>;
  /** `page 1 of 3, 25 sessions in all` */
  readonly summaryText: string;
  /** Why the list is not complete. */
  readonly gap: Error | undefined;
}

/** The singular of what is listed. */
type Noun = 'session' | 'dataset' | 'job';

/** @throws {UsageError} both --all and --page-number are given */
export async function readListing<T>(
  { all, pageNumber, pageSize }: ValuesOf<typeof pagingSettings>,
  noun: Noun,
  reader: PageReader<T>,
): Promise<Listed<T>> {
  if (!all) {
    return pageListed(await reader.read({ pageNumber: pageNumber ?? 1, pageSize }), noun, reader);
  }
  if (pageNumber !== undefined) {
    throw new UsageError(`--all and --page-number ${pageNumber} exclude each other; give one`);
  }
  const records: Verbatim<T>[] = [];
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) return allListed(records, step.value, noun);
    records.push(...step.value.items.map(({ record }) => record));
  }
}

function pageListed<T>(
  { page, flaws }: PlacedPage<T>,
  noun: Noun,
  { options }: PageReader<T>,
): Listed<T> {
  const { pageNumber, pageSize, totalItems, records } = page;
  const head = { page_number: pageNumber, page_size: pageSize, total_items: totalItems };
  const pages = totalItems === null ? null : Math.max(1, Math.ceil(totalItems / pageSize));
  const total = totalItems === null ? 'an unknown number' : counted(totalItems, noun);
  const more = pages !== null && pages > 1 ? '; --all lists them all' : '';
  const gap =
    flaws.length === 0 ? undefined : new PagingError(`${options.what}: ${flaws.join('; ')}`);
  return {
    records,
    head,
    summaryText: `${pageText(pageNumber, pages)}, ${total} in all${more}`,
    gap,
  };
}

/** @param pages null where the service does not say how many there are */
function pageText(page: number, pages: number | null): string {
  if (pages === null) return `page ${page}`;
  return page > pages ? `page ${page}, after the last page ${pages}` : `page ${page} of ${pages}`;
}

function allListed<T>(
  records: readonly Verbatim<T>[],
  { totalItems, gap }: ListingVerdict,
  noun: Noun,
): Listed<T> {
  const head = { total_items: totalItems ?? records.length, complete: gap === undefined };
  const read = gap ? 'possibly incomplete' : 'every page read';
  return { records, head, summaryText: `${counted(records.length, noun)}, ${read}`, gap };
}

/** Exit code 3 where the list is incomplete. */
export function listingResult<T>(
  { records, head, gap, summaryText }: Listed<T>,
  view: View,
): CommandResult {
  return {
    exitCode: gap === undefined ? EXIT.complete : EXIT.gaps,
    value: { ...head, records: records.map(({ value }) => value) },
    view,
    note: summaryText,
    errors: gap === undefined ? [] : [gap],
  };
}
