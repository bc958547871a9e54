import { UsageError } from '../../../base/usage-error.js';
import {
  serviceUserSettings,
  sessionFieldSettings,
} from '../../../config/service-command-settings.js';
import { asSessionId } from '../../../model/ids.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { printAnswer } from '../../output/print-answer.js';

export const sessionsModifyCommand = defineCommand({
  positionals: { session: "The session's id" },
  settings: { ...serviceUserSettings, ...sessionFieldSettings },
  examples: [
    ['jobvault sessions modify 0b6f… --user ada --name "Sales, week 4"', 'another name'],
    [
      'jobvault sessions modify 0b6f… --user ada --name Sales --max-contextual-job-history 0',
      'uses no earlier job as context',
    ],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    const { name, outputLanguage, jobMode, maxContextualJobHistory } = settings;
    const sessionId = asSessionId(positionals['session'] ?? '');
    if (name === undefined) {
      throw new UsageError('the service requires the name for every change; give --name');
    }
    return withService(invocation, async ({ service, userId }) => {
      const fields = { name, outputLanguage, jobMode, maxContextualJobHistory };
      await service.modifySession({ userId, sessionId, ...fields });
      const done = { id: sessionId, modified: true };
      printAnswer({ settings, terminal }, done, () => `Changed ${sessionId}.\n`);
      return EXIT.complete;
    });
  },
});
