/** Makes the report of an archive: a page that opens from disk and loads what it shows in pieces. */
import { readConsistently } from '../archive/consistent-read.js';
import { caveatsOf } from '../archive/reading/caveats/caveat.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import { SelectedRows } from '../archive/reading/rows/selected-rows.js';
import { Selection } from '../archive/reading/selection.js';
import { JobvaultError } from '../base/error.js';
import { Making } from '../making/making.js';
import { textIn } from '../model/mask-secrets.js';
import { datasetsTable } from '../model/tables.js';
import { REPORT_MARK } from './data-script.js';
import { EarlierReport, settingsDigest } from './earlier-report.js';
import { writeFirstPage } from './first-page/first-page.js';
import { reportTitle } from './first-page/page-notes.js';
import { pageAssets } from './page-assets.js';
import { People } from './people.js';
import { Publisher } from './publisher.js';
import type { OpenReport, ReportOptions, ReportSummary, Whole, Written } from './report-options.js';
import { writeSessions } from './report-sessions.js';
import { SearchIndex } from './full-text/search-index.js';
import { Survey } from '../making/survey.js';

/**
 * Reads only what the log names as of now. Memory holds a few thousand jobs, and a line for each
 * session and user, whatever the archive's size.
 *
 * @throws {UsageError} a user or session is not in the archive
 * @throws {IntegrityError | FormatError} the archive is damaged; the message names the object
 * @throws {RewrittenMeanwhileError} something has left the archive since: empty the target and call again
 * @throws the signal's reason, when it is aborted
 */
export async function writeReport(options: ReportOptions): Promise<ReportSummary> {
  const { archive, allowLostFiles, signal } = options;
  return readConsistently(archive, 'report', async () => {
    const making = await Making.of(options, 'report');
    const datasets = await datasetNames(options);
    const isOfAll =
      making.found === undefined && allowLostFiles !== true && making.selection.decisions.isEmpty;
    const settings = isOfAll ? settingsOf(options, datasets) : null;
    const earlier =
      settings === null ? undefined : await EarlierReport.in(options.earlier, settings);
    const survey = await Survey.of(making, undefined, earlier?.numbers);
    const report = { options, survey, datasets, settings };
    if (!earlier) return fill({ ...report, earlier });
    try {
      return await fill({ ...report, earlier });
    } catch (error) {
      if (error instanceof JobvaultError || signal?.aborted === true) throw error;
      // a file of the earlier report is damaged or forged: what was made from it must not stay
      for await (const { path } of options.target.list('')) await options.target.delete(path);
      const again = await Survey.of(await Making.of(options, 'report'));
      return fill({ ...report, survey: again, earlier: undefined });
    }
  });
}

/** The page of something larger. @param options.target for what is set aside meanwhile @throws as `writeReport`, but begins nothing again */
export async function writePageOf(whole: Whole, options: ReportOptions): Promise<ReportSummary> {
  const datasets = await datasetNames(options);
  const { survey } = whole;
  return fill({ options, survey, datasets, settings: null, earlier: undefined, whole });
}

function settingsOf({ archive }: ReportOptions, datasets: ReadonlyMap<string, string>): string {
  return settingsDigest({ tool: archive.tool, archive: archive.identity.id, datasets });
}

async function fill(report: OpenReport): Promise<ReportSummary> {
  const { target } = report.options;
  const publisher = new Publisher(report.whole?.files ?? target, {
    earlier: report.earlier?.files,
    isListed: report.settings !== null || report.options.request !== undefined,
  });
  const index = await SearchIndex.open(target);
  try {
    const people = await People.open(target, report.survey);
    try {
      return await write(report, { publisher, index, people });
    } finally {
      await publisher.settle();
      await people.discard();
    }
  } finally {
    await index.discard();
  }
}

/** Everything of the report, its mark last. */
async function write(report: OpenReport, written: Written): Promise<ReportSummary> {
  const { options, survey, settings, whole } = report;
  const { asOf, reading, found } = survey.making;
  const { publisher, people } = written;
  const { archive } = options;
  const shown = await writeSessions(report, written);
  await people.publish(publisher);
  await shown.catalogue.finish();
  const { script, style } = await pageAssets();
  await publisher.put('data/page.js', script);
  await publisher.put('data/style.css', style);
  const page = {
    title: options.title ?? reportTitle(archive, options.request),
    madeAt: archive.clock.now(),
  };
  const completeness = await writeFirstPage(report, publisher, { ...shown, ...page });
  const list = await publisher.list();
  const mark = {
    format: 1,
    tool: archive.tool,
    made_at: new Date(page.madeAt).toISOString(),
    archive: archive.identity.id,
    ...(settings === null ? {} : { settings, head: asOf?.number ?? 0 }),
    ...(list === null ? {} : { files: list }),
  };
  if (!whole) await publisher.put(REPORT_MARK, `${JSON.stringify(mark)}\n`);
  await publisher.finish();
  return {
    status: completeness,
    caveats: caveatsOf(reading),
    title: page.title,
    users: survey.peopleCount,
    sessions: shown.tallies.sessions,
    jobs: shown.tallies.jobs,
    artifacts: shown.files.count,
    head: asOf,
    search: found?.facts ?? null,
    request: options.request?.name ?? null,
    digest: list,
    files: publisher.files,
    bytes: publisher.bytes,
    unchanged: { sessions: shown.kept, files: publisher.kept },
  };
}

/** The name of each dataset, of its newest row; none where datasets were never exported. */
async function datasetNames(options: ReportOptions): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const everybody = await Selection.of(options.archive, EVERYBODY, { signal: options.signal });
  const selected = await SelectedRows.of(options, everybody);
  for await (const row of selected.rows(datasetsTable)) {
    const [id, name] = [textIn(row, 'dataset_id'), textIn(row, 'name')];
    if (id !== null && name !== null) names.set(id, name);
  }
  return names;
}
