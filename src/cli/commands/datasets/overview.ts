import { serviceUserSettings } from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { recordText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsOverviewCommand = defineCommand({
  positionals: { dataset: "The dataset's id" },
  settings: serviceUserSettings,
  examples: [
    ['jobvault datasets overview 7c1d… --user ada', 'one field per line; --json for programs'],
  ],
  run: (invocation) =>
    withService(invocation, async ({ service, userId }) => {
      const { settings, terminal, positionals } = invocation;
      const datasetId = asDatasetId(positionals['dataset'] ?? '');
      const { value } = await service.getDatasetOverview({ userId, datasetId });
      printAnswer({ settings, terminal }, value, () => recordText(value));
      return EXIT.complete;
    }),
});
