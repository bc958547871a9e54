import { storageSettings } from '../../../config/storage-settings.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { withArchive } from '../../input/archive-argument.js';
import { tableText } from '../../output/table-text.js';
import { heldSubject, holdFacts } from './hold-text.js';
import { printAnswer } from '../../output/print-answer.js';
import { columnsOf } from '../../terminal.js';

const HEADINGS = ['held', 'since', 'by', 'reason', 'released'];
const SPARE = ['by', 'since'];

export const holdListCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings: storageSettings,
  examples: [['jobvault hold list ./archive --json', 'every hold, also those that were released']],
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    await withArchive(invocation, async (archive) => {
      const holds = await archive.holds();
      const rows = holds.map((hold) => [
        heldSubject(hold),
        hold.since.slice(0, 10),
        hold.by,
        hold.reason,
        hold.release === null ? '' : hold.release.at.slice(0, 10),
      ]);
      const text = () =>
        rows.length === 0
          ? `${archive.location} has no holds, and never had any.\n`
          : tableText(HEADINGS, rows, columnsOf(terminal.stdout), SPARE);
      printAnswer({ settings, terminal }, { holds: holds.map(holdFacts) }, () => text());
    });
    return EXIT.complete;
  },
});
