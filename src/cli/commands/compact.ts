/** Merges the small files of an archive. */
import { formatDuration } from '../../base/units.js';
import { formatByteSize } from '../../base/byte-size.js';
import { compactSettings } from '../../config/rewrite-settings.js';
import type { CompactSummary } from '../../rewrite/compaction/compact.js';
import { counted, thousands } from '../../base/text/counted.js';
import { defineCommand } from '../command.js';
import type { View } from '../output/view.js';
import { withArchive } from '../input/access.js';

export const compactCommand = defineCommand({
  usage: 'compact <archive>',
  describe:
    'Merge the small files of each table and day (of each month when it is over); rows stay as they are',
  settings: compactSettings,
  examples: {
    'jobvault compact ./archive':
      'files of about 256 MB; the old ones stay for their readers for 7 days',
    'jobvault compact ./archive --grace 1h': 'and delete what was replaced more than an hour ago',
  },
  run: async (invocation) => {
    const summary = await withArchive(invocation, (archive) =>
      archive.compact(invocation.settings),
    );
    return { value: { status: 'complete', ...summary }, view: compactView(summary) };
  },
});

function compactView(summary: CompactSummary): View {
  const { archive, merged, written, files, replaced, duration_ms: durationMs } = summary;
  const text =
    merged.files === 0
      ? `nothing to merge in ${archive}`
      : `${counted(merged.files, 'file')} of ${archive} merged into ${written.files}`;
  return {
    headline: `Complete: ${text}`,
    facts: [
      ['rows', thousands(merged.rows)],
      ['before', formatByteSize(merged.bytes)],
      ['after', formatByteSize(written.bytes)],
      ['files', `${thousands(files)} in the archive now`],
      [
        'replaced',
        `${counted(replaced.kept, 'file')} kept for readers, ${replaced.deleted} deleted`,
      ],
      ['time', formatDuration(durationMs)],
    ],
  };
}
