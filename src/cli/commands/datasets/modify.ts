import { UsageError } from '../../../base/usage-error.js';
import {
  serviceUserSettings,
  datasetFieldSettings,
} from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsModifyCommand = defineCommand({
  positionals: { dataset: "The dataset's id" },
  settings: { ...serviceUserSettings, ...datasetFieldSettings },
  examples: [
    ['jobvault datasets modify 7c1d… --user ada --name "Sales, EMEA"', 'another name'],
    ['jobvault datasets modify 7c1d… --user ada --description=', 'no description any more'],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    const { name, description } = settings;
    const datasetId = asDatasetId(positionals['dataset'] ?? '');
    if (name === undefined && description === undefined) {
      throw new UsageError('there is nothing to change; give --name, --description or both');
    }
    return withService(invocation, async ({ service, userId }) => {
      await service.modifyDataset({ userId, datasetId, name, description });
      const done = { id: datasetId, modified: true };
      printAnswer({ settings, terminal }, done, () => `Changed ${datasetId}.\n`);
      return EXIT.complete;
    });
  },
});
