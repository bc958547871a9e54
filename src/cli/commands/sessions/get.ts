import { actingSettings } from '../../../config/service-command-settings.js';
import { asSessionId } from '../../../model/ids.js';
import { actingFor } from '../../input/acting-client.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { recordText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const sessionsGetCommand = defineCommand({
  positionals: { session: "The session's id" },
  settings: actingSettings,
  examples: [['jobvault sessions get 0b6f… --user ada', 'a field a line; --json for programs']],
  run: (invocation) =>
    actingFor(invocation, async ({ service, userId }) => {
      const { settings, terminal, positionals } = invocation;
      const sessionId = asSessionId(positionals['session'] ?? '');
      const { value } = await service.getSession({ userId, sessionId });
      printAnswer({ settings, terminal }, value, () => recordText(value));
      return EXIT.complete;
    }),
});
