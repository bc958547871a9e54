import { holdAddSettings } from '../../../config/hold-settings.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { changeHolds } from './change.js';

export const holdAddCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings: holdAddSettings,
  examples: [
    [
      'jobvault hold add ./archive --user ada --reason "Matter 2026-114"',
      'nothing of this user is deleted or erased until the hold is released',
    ],
    [
      'jobvault hold add ./archive --session 0b6f… --reason audit --by "Grace Hopper"',
      'one session',
    ],
  ],
  run: async (invocation) => {
    const { allowUnknownHolds: allowUnknown } = invocation.settings;
    await changeHolds(invocation, 'Held', (archive, given) =>
      archive.hold({ ...given, allowUnknown }),
    );
    return EXIT.complete;
  },
});
