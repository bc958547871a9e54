import { verifyArchive } from '../archive/verify.js';
import type { VerifyReport } from '../archive/verify-report.js';
import { formatByteSize } from '../base/byte-size.js';
import { rowFormats } from '../formats/formats.js';
import { aligned, counted } from './aligned.js';
import { withArchive } from './archive-argument.js';
import { defineCommand } from './command.js';
import { EXIT } from './exit-code.js';

export const verifyCommand = defineCommand({
  usage: 'verify <archive>',
  describe: 'Prove that an archive is whole: the chain, every file, every row count',
  positionals: { archive: 'The archive: a directory' },
  settings: {},
  examples: [
    ['jobvault verify ./archive', 'exit code 0 when nothing is missing or changed, 4 otherwise'],
    ['jobvault verify ./archive --json', 'one line of JSON for a monitor'],
  ],
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    const { signal } = terminal.interruption;
    const report = await withArchive(invocation, (archive) =>
      verifyArchive(archive, { formats: rowFormats(), signal }),
    );
    terminal.stdout.write(settings.json ? `${JSON.stringify(jsonOf(report))}\n` : textOf(report));
    return report.problems.length > 0 ? EXIT.integrity : EXIT.complete;
  },
});

function jsonOf(report: VerifyReport) {
  const { location, commits, files, tableRows, artifacts, bytes, states, problems, orphans } =
    report;
  const status = problems.length > 0 ? 'damaged' : 'intact';
  return {
    ...{ status, archive: location, commits, files, rows: tableRows },
    ...{ artifacts, bytes, states, problems, orphans },
  };
}

export function textOf(report: VerifyReport): string {
  const { location, commits, files, tableRows, artifacts, bytes, problems, orphans } = report;
  const rows = Object.entries(tableRows).map(([table, count]) => `${count} ${table}`);
  const verdict =
    problems.length > 0 ? `Damaged: ${counted(problems.length, 'problem')}` : 'Intact';
  return [
    `${verdict}: ${location}\n`,
    aligned([
      ['commits', `${commits}, an unbroken chain unless said below`],
      [
        'files',
        `${files} of tables and workbooks, ${artifacts} artifacts, ${formatByteSize(bytes)}`,
      ],
      ['rows', rows.length === 0 ? 'none' : rows.join(', ')],
      ['orphans', orphans.length === 0 ? 'none' : `${orphans.length} that no commit names`],
    ]),
    ...problems.map(({ path, detail }) => `    ${path} ${detail}\n`),
  ].join('');
}
