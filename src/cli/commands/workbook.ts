/** Writes conversations and tables of users as a workbook. */
import { formatByteSize } from '../../base/byte-size.js';
import { UsageError } from '../../base/error.js';
import {
  allowLostFiles,
  forRequestSettings,
  selectionSettings,
} from '../../config/search-settings.js';
import { text } from '../../config/setting.js';
import { recordSigningSettings } from '../../config/signing-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import { hitCountText } from '../../search/search-facts.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { WorkbookSummary } from '../../workbook/write-workbook.js';
import { defineCommand } from '../command.js';
import type { View } from '../output/view.js';
import { withArchive } from '../input/access.js';
import { forRequestOf } from '../input/recorded-person.js';
import { readUsers } from '../input/users.js';
import { assertOutsideArchive } from '../input/outside-archive.js';
import { counted } from '../../base/text/counted.js';
import { filesOfCopy } from '../output/texts/archive-texts.js';
import { namedUsers } from '../output/texts/user-texts.js';
import { tablesAndImages } from '../output/tally.js';
import { caveatExit, madeHeadline, recordedIn } from '../output/caveat-rows.js';

const { users, from, to, match, in: inParts, undated } = selectionSettings;

export const workbookCommand = defineCommand({
  usage: 'workbook [archive]',
  describe: 'Write conversations and tables of users as a workbook for Excel or LibreOffice',
  settings: {
    ...storageSettings,
    users,
    from,
    to,
    match,
    in: inParts,
    undated,
    allowLostFiles,
    ...forRequestSettings,
    ...recordSigningSettings,
  },
  flags: {
    usersFile: text({
      name: 'users-file',
      describe: 'A file of the only users: one per line, or CSV with a column user_id; - is stdin',
    }),
    out: text({
      name: 'out',
      describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced',
      required: true,
    }),
  },
  examples: {
    'jobvault workbook ./archive --user ada --out ada.xlsx': 'open it in Excel or LibreOffice',
    'jobvault workbook ./archive --from last-month --to last-month --out month.xlsx':
      'everybody, and what was asked last month; --user and --users-file name some',
    'jobvault workbook s3://bucket/archive --user ada --out ada.xlsx':
      'from a bucket: names files, without links',
    'jobvault workbook ./archive --user ada --match budget --from 2026-01 --out ada.xlsx':
      'only jobs with this word since January; the cover says how many were searched',
    'jobvault workbook ./archive --request "Matter 2026-114" --out matter.xlsx':
      'what a request is about (jobvault request new); the workbook is recorded there with its digest',
  },
  onlyReads: ({ request }) => request === undefined,
  run: async (invocation) => {
    const { settings, positionals, logger } = invocation;
    const { users: named = [], usersFile, out, match, from, to, undated } = settings;
    const { allowLostFiles } = settings;
    const { forRequest, recorded } = forRequestOf(settings);
    const isOfAll = named.length === 0 && usersFile === undefined;
    if (isOfAll && from === undefined && !forRequest) {
      throw new UsageError(
        'no user is named; give --user or --users-file, or --from for everybody in a period',
      );
    }
    const users = isOfAll ? [] : await readUsers({ user: named, usersFile }, invocation);
    await assertOutsideArchive(out, positionals.archive ?? '');
    const { location, isPseudonymised, unknown, summary } = await withArchive(
      invocation,
      async (archive) => {
        const unknown =
          usersFile === undefined ? new Set<string>() : await unknownIn(archive, users, named);
        const chosen = users.filter((user) => !unknown.has(user));
        return {
          location: archive.location,
          isPseudonymised: archive.identity.pseudonymised !== undefined,
          unknown: [...unknown],
          summary: await archive.workbook(out, {
            ...{ users: chosen, by: settings.by, match, in: settings.in, from, to, undated },
            ...{ allowLostFiles, forRequest },
          }),
        };
      },
    );
    recorded(logger);
    return {
      exitCode: caveatExit(summary.caveats),
      value: {
        ...summary,
        ...(unknown.length > 0 && { unknown_users: unknown }),
        archive: location,
        out,
      },
      view: workbookView({ out, summary, unknown, isPseudonymised }),
    };
  },
});

function filesText(artifacts: number, isPseudonymised: boolean): string {
  if (isPseudonymised) return filesOfCopy(artifacts);
  return `${tablesAndImages(artifacts)}, which stay in the archive`;
}

/**
 * Users of a file of whom the archive has nothing: they were erased, or never exported. They are left out, so that the same
 * file goes on making workbooks; none of them where nobody would be left. Who is named by a flag must be there.
 */
async function unknownIn(
  archive: OpenArchive,
  users: readonly string[],
  named: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set([...named, ...(await archive.knownUsers(users))]);
  const unknown = users.filter((user) => !known.has(user));
  return new Set(unknown.length === users.length ? [] : unknown);
}

interface Shown {
  readonly out: string;
  readonly summary: WorkbookSummary;
  readonly unknown: readonly string[];
  readonly isPseudonymised: boolean;
}

function workbookView({ out, summary, unknown, isPseudonymised }: Shown): View {
  const { user, users, sessions, jobs, artifacts, search, sheets, bytes, caveats } = summary;
  const whose = user ?? counted(users, 'user');
  return {
    headline: madeHeadline(caveats, `the workbook of ${whose} is ${out}`),
    caveats,
    facts: [
      ['contains', `${counted(sessions, 'conversation')}, ${counted(jobs, 'question')}`],
      [
        'left out',
        unknown.length === 0
          ? null
          : `${counted(unknown.length, 'user')} of --users-file of whom the archive has nothing, erased or never exported: ${namedUsers(unknown)}`,
      ],
      ['as of', summary.head && `commit ${summary.head.number}`],
      ['search', search && hitCountText(search)],
      ['request', recordedIn(summary.request, 'workbook')],
      ['digest', summary.request === null ? null : `${summary.digest}: the SHA-256 of the file`],
      ['files', filesText(artifacts, isPseudonymised)],
      ['size', `${counted(sheets, 'sheet')}, ${formatByteSize(bytes)}`],
    ],
  };
}
