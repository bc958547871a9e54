import { serviceUserSettings } from '../../../config/service-command-settings.js';
import { asSessionId } from '../../../model/ids.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { recordText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const sessionsGetCommand = defineCommand({
  positionals: { session: "The session's id" },
  settings: serviceUserSettings,
  examples: [['jobvault sessions get 0b6f… --user ada', 'one field per line; --json for programs']],
  run: (invocation) =>
    withService(invocation, async ({ service, userId }) => {
      const { settings, terminal, positionals } = invocation;
      const sessionId = asSessionId(positionals['session'] ?? '');
      const { value } = await service.getSession({ userId, sessionId });
      printAnswer({ settings, terminal }, value, () => recordText(value));
      return EXIT.complete;
    }),
});
