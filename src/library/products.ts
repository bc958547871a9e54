/**
 * What is found in an open archive, and what is made of it: for an open request with the scope of that, which then
 * records it.
 */
import type { EvidenceOptions, EvidenceSummary } from '../evidence/write-evidence.js';
import type { ReportOptions, ReportSummary } from '../report/report-options.js';
import type { SearchOptions, SearchResult } from '../search/search-archive.js';
import type { WorkbookOptions, WorkbookSummary } from '../workbook/write-workbook.js';
import type { CallContext, ContextOption } from './call-context.js';
import { doneFor, type ForRequest } from './for-request.js';
import { packWork, searchWork } from './request-scope.js';

interface RequestOption {
  readonly forRequest?: ForRequest | undefined;
}

type MadeChoices<Options> = Omit<Options, ContextOption | 'target' | 'earlier' | 'request'> &
  RequestOption;

export type SearchChoices = Omit<SearchOptions, ContextOption | 'match'> & RequestOption;
export type ReportChoices = MadeChoices<ReportOptions>;
export type EvidenceChoices = MadeChoices<EvidenceOptions>;
export type WorkbookChoices = Omit<MadeChoices<WorkbookOptions>, 'name'>;

export async function searchFor(
  context: CallContext,
  words: string | undefined,
  { forRequest, ...options }: SearchChoices,
): Promise<SearchResult> {
  const { searchArchive } = await import('../search/search-archive.js');
  return doneFor(context, {
    forRequest,
    given: { ...options, match: words },
    takesWords: true,
    work: (choice, request) => searchArchive({ ...choice, ...context.reading }, request),
    recordOf: (found, by, choice) => searchWork(choice, found, by),
  });
}

export async function reportFor(
  context: CallContext,
  out: string,
  { forRequest, ...choices }: ReportChoices,
): Promise<ReportSummary> {
  const { REPORT_ENTRIES, REPORT_MARK } = await import('../report/data-script.js');
  const { writeReport } = await import('../report/write-report.js');
  const replaceable = { mark: REPORT_MARK, entries: REPORT_ENTRIES };
  return doneFor(context, {
    forRequest,
    given: { ...choices, by: forRequest?.by ?? choices.by },
    work: (choice, request) =>
      context.write(
        out,
        (place) => writeReport({ ...choice, request, ...context.reading, ...place }),
        replaceable,
      ),
    recordOf: ({ digest, ...made }, by) =>
      packWork({ ...made, form: 'report', digest: digest ?? '' }, by),
  });
}

export async function evidenceFor(
  context: CallContext,
  out: string,
  { forRequest, ...choices }: EvidenceChoices,
): Promise<EvidenceSummary> {
  const { writeEvidence } = await import('../evidence/write-evidence.js');
  return doneFor(context, {
    forRequest,
    given: { ...choices, by: forRequest?.by ?? choices.by },
    work: (choice, request) =>
      context.write(out, ({ target }) =>
        writeEvidence({ ...choice, request, ...context.writing, target }),
      ),
    recordOf: packWork,
  });
}

export async function workbookFor(
  context: CallContext,
  out: string,
  { forRequest, ...choices }: WorkbookChoices,
): Promise<WorkbookSummary> {
  const { makeWorkbook } = await import('../workbook/write-workbook.js');
  return doneFor(context, {
    forRequest,
    given: { ...choices, by: forRequest?.by ?? choices.by },
    work: (choice, request) =>
      makeWorkbook(out, { ...choice, request, ...context.reading }, context.options.storage),
    // it names them, and has none
    recordOf: (made, by) => packWork({ ...made, form: 'workbook', artifacts: 0 }, by),
  });
}
