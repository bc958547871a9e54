import { UsageError } from '../../../base/usage-error.js';
import {
  serviceUserSettings,
  datasetFieldSettings,
} from '../../../config/service-command-settings.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsCreateCommand = defineCommand({
  settings: { ...serviceUserSettings, ...datasetFieldSettings },
  examples: [
    [
      'jobvault datasets create --user ada --name Sales --description "Orders since 2019"',
      'prints the new id, to upload data sources into',
    ],
  ],
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    const { name, description } = settings;
    if (name === undefined) throw new UsageError('a dataset needs a name; give --name');
    return withService(invocation, async ({ service, userId }) => {
      const id = await service.createDataset({ userId, name, description });
      printAnswer({ settings, terminal }, { id }, () => `${id}\n`);
      return EXIT.complete;
    });
  },
});
