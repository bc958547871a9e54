import { holdSettings } from '../../../config/prune-settings.js';
import { deletionSettings } from '../../../config/service-command-settings.js';
import { asSessionId } from '../../../model/ids.js';
import type { SessionRequest } from '../../../service/service-client.js';
import { withService, type UserService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { assertMayDelete, confirm } from '../../input/confirm.js';
import { readHolds } from '../../input/hold-file.js';
import { EXIT } from '../../exit-code.js';
import { fieldText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const sessionsDeleteCommand = defineCommand({
  positionals: { session: "The session's id" },
  settings: { ...deletionSettings, holdFile: holdSettings.holdFile },
  examples: [
    ['jobvault sessions delete 0b6f… --user ada', 'asks for confirmation; no is exit code 7'],
    ['jobvault sessions delete 0b6f… --user ada --yes', 'does not ask'],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    assertMayDelete(terminal, settings.yes);
    const sessionId = asSessionId(positionals['session'] ?? '');
    const holds = await readHolds(settings.holdFile);
    return withService(invocation, async (acting) => {
      const request = { userId: acting.userId, sessionId };
      const held = holds.reasonFor(acting.userId, sessionId);
      if (held !== undefined) {
        terminal.stderr.write(`Nothing was deleted: ${held}.\n`);
        return EXIT.refused;
      }
      if (!settings.yes && !(await confirm(await questionOf(acting, request), terminal))) {
        terminal.stderr.write('Nothing was deleted.\n');
        return EXIT.refused;
      }
      await acting.service.deleteSession(request);
      const done = { id: sessionId, deleted: true };
      printAnswer({ settings, terminal }, done, () => `Deleted ${sessionId}.\n`);
      return EXIT.complete;
    });
  },
});

async function questionOf({ service }: UserService, request: SessionRequest): Promise<string> {
  const { value } = await service.getSession(request);
  const name = JSON.stringify(fieldText(value.name));
  return `Delete session ${request.sessionId} ${name} of user ${request.userId} and its whole history? This cannot be undone.`;
}
