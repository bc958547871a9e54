import { holdReleaseSettings } from '../../../config/hold-settings.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { changeHolds } from './change.js';

export const holdReleaseCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings: holdReleaseSettings,
  examples: [
    [
      'jobvault hold release ./archive --user ada --reason "Matter 2026-114 is closed"',
      'deletes nothing; later commands may',
    ],
  ],
  run: async (invocation) => {
    const { allHolds: all } = invocation.settings;
    await changeHolds(invocation, 'Released', (archive, given) =>
      archive.release({ ...given, all }),
    );
    return EXIT.complete;
  },
});
