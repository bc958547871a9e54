import { actingSettings } from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import { actingFor } from '../../input/acting-client.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { recordText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsOverviewCommand = defineCommand({
  positionals: { dataset: "The dataset's id" },
  settings: actingSettings,
  examples: [
    ['jobvault datasets overview 7c1d… --user ada', 'a field a line; --json for programs'],
  ],
  run: (invocation) =>
    actingFor(invocation, async ({ service, userId }) => {
      const { settings, terminal, positionals } = invocation;
      const datasetId = asDatasetId(positionals['dataset'] ?? '');
      const { value } = await service.getDatasetOverview({ userId, datasetId });
      printAnswer({ settings, terminal }, value, () => recordText(value));
      return EXIT.complete;
    }),
});
