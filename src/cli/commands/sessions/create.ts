import { UsageError } from '../../../base/usage-error.js';
import {
  serviceUserSettings,
  agentSetting,
  sessionFieldSettings,
} from '../../../config/service-command-settings.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { printAnswer } from '../../output/print-answer.js';

export const sessionsCreateCommand = defineCommand({
  settings: { ...serviceUserSettings, ...sessionFieldSettings, agentId: agentSetting },
  examples: [
    ['jobvault sessions create --user ada --name "Sales, week 3"', 'prints the new id'],
    [
      'jobvault sessions create --user ada --name Umsatz --output-language DE --job-mode DATA_ANALYTICS',
      'replies in German, always analyses',
    ],
  ],
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    const { name, outputLanguage, jobMode, maxContextualJobHistory, agentId } = settings;
    if (name === undefined) throw new UsageError('a session needs a name; give --name');
    return withService(invocation, async ({ service, userId }) => {
      const id = await service.createSession({
        userId,
        name,
        outputLanguage,
        jobMode,
        maxContextualJobHistory,
        agentId,
      });
      printAnswer({ settings, terminal }, { id }, () => `${id}\n`);
      return EXIT.complete;
    });
  },
});
