/** Restores an archive from itself, and says whether everything came back. */
import { formatByteSize } from '../../base/byte-size.js';
import { share, text, toggle } from '../../config/setting.js';
import { commitSettings } from '../../config/signing-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import type { DrillReport } from '../../restore/drill.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { UsageError } from '../../base/error.js';
import { onArchive, step } from '../../base/next-step.js';
import { EXIT } from '../exit-code.js';
import { withArchive } from '../input/access.js';
import { counted } from '../../base/text/counted.js';
import { secondText } from '../output/texts/time-text.js';
import { tablesAndImages } from '../output/tally.js';
import type { View } from '../output/view.js';
import { countsOfDrill } from '../output/run-counts.js';

const settings = { ...commitSettings, ...storageSettings, ...telemetrySettings };
const flags = {
  list: toggle({
    name: 'list',
    describe: 'Show the drills that were made, and their outcomes; restores nothing',
  }),
  sample: share({
    name: 'sample',
    describe: 'Restore only this share of the sessions, different ones each time: 1%',
  }),
  scratch: text({
    name: 'scratch',
    isRare: true,
    describe:
      "Where the scratch archive is made, and removed again; default: the system's temporary directory",
  }),
};

type Drill = Invocation<typeof settings & typeof flags>;

export const drillCommand = defineCommand({
  usage: 'drill [archive]',
  describe: 'Restore the archive from itself into scratch space, and compare every row and file',
  settings,
  flags,
  examples: {
    'jobvault drill ./archive': 'exit code 0 when every row and file came back, 4 otherwise',
    'jobvault drill s3://company-archive/assistant --sample 1%':
      'a part, a different one each time',
    'jobvault drill ./archive --list': 'the drills that were made, and their outcomes',
    'jobvault drill ./archive --scratch /mnt/large': 'where there is enough space',
  },
  onlyReads: ({ list }) => list === true,
  isDryRun: ({ list }) => list === true,
  run: async (invocation) => {
    const { settings, logger } = invocation;
    if (settings.list) return listed(invocation);
    const { sample, scratch } = settings;
    const report = await withArchive(invocation, (archive) => archive.drill({ sample, scratch }));
    if (report.unrecorded !== null) {
      logger.warn({}, `the drill is not recorded in the log: ${report.unrecorded}`);
    }
    return {
      exitCode: report.differences > 0 ? EXIT.integrity : EXIT.complete,
      value: report,
      view: drillView(report),
      counts: countsOfDrill(report),
      log: () => {
        if (report.differences === 0) return;
        const { differences, location } = report;
        logger.error(
          { differences },
          `${location} was not restored from itself: ${counted(differences, 'difference')}`,
        );
      },
    };
  },
});

const HEADINGS = [
  'at',
  'commit',
  'sample',
  'conversations',
  'questions',
  'rows',
  'files',
  'outcome',
];

async function listed(invocation: Drill): Promise<CommandResult> {
  const { settings } = invocation;
  if (settings.sample !== undefined || settings.scratch !== undefined) {
    throw new UsageError('--list restores nothing; leave out --sample and --scratch');
  }
  const drills = await withArchive(invocation, (archive) => archive.drills());
  const rows = drills.map(
    ({ at, commit, sample, sessions, jobs, rows: all, files, differences }) => [
      secondText(at),
      ...[commit].map(String),
      `${Number((sample * 100).toPrecision(3))} %`,
      ...[sessions, jobs, all, files].map(String),
      differences === 0 ? 'all equal' : counted(differences, 'difference'),
    ],
  );
  return {
    value: { drills },
    view:
      drills.length === 0
        ? {
            lines: [
              step`No drill was made yet; ${onArchive('drill')} restores the archive from itself.`,
            ],
          }
        : { table: { headings: HEADINGS, rows } },
  };
}

/** Differences that are named. */
const NAMED = 20;

function drillView(report: DrillReport): View {
  const { at, commit, location, sample, sessions, jobs, rows, files, bytes } = report;
  const part = sample < 1 ? ` (a sample of ${Number((sample * 100).toPrecision(3))} %)` : '';
  const all = `${counted(sessions, 'conversation')}, ${counted(jobs, 'question')}, ${counted(rows, 'row')} and ${counted(files, 'distinct file')} (${formatByteSize(bytes)})`;
  const { not_stored: notStored } = report;
  // nor has the archive them
  const lacking = notStored === 0 ? '' : `; ${tablesAndImages(notStored)} not stored`;
  const head = `${secondText(at)}: ${location} as of commit ${commit}${part}`;
  // the line is for an auditor: what the log does not have, nobody can look up there
  const end = `${lacking}${report.unrecorded === null ? '' : '; not recorded in the log'}`;
  if (report.differences === 0)
    return { headline: `${head} was restored from itself: ${all}, all equal${end}` };
  const items = report.differing.map(({ user, session, table, archived, restored }) => {
    const where = session === null ? 'the project' : `session ${session} of ${user}`;
    const what =
      archived === restored
        ? 'rows differ'
        : `${counted(archived, 'row')} archived, ${restored} restored`;
    return `${table} of ${where}: ${what}`;
  });
  return {
    headline: `${head} was NOT restored from itself: ${counted(report.differences, 'difference')} in ${all}${end}`,
    lists: [{ items, most: NAMED }],
  };
}
