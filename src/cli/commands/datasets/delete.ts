import { deletionSettings } from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import type { DatasetRequest } from '../../../service/service-client.js';
import { withService, type UserService } from '../../input/with-service.js';
import { counted } from '../../output/aligned.js';
import { defineCommand } from '../../command.js';
import { assertMayDelete, confirm } from '../../input/confirm.js';
import { EXIT } from '../../exit-code.js';
import { fieldText } from '../../output/record-text.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsDeleteCommand = defineCommand({
  positionals: { dataset: "The dataset's id" },
  settings: deletionSettings,
  examples: [
    ['jobvault datasets delete 7c1d… --user ada', 'asks for confirmation; no is exit code 7'],
    ['jobvault datasets delete 7c1d… --user ada --yes', 'does not ask'],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    assertMayDelete(terminal, settings.yes);
    const datasetId = asDatasetId(positionals['dataset'] ?? '');
    return withService(invocation, async (acting) => {
      const request = { userId: acting.userId, datasetId };
      if (!settings.yes && !(await confirm(await questionOf(acting, request), terminal))) {
        terminal.stderr.write('Nothing was deleted.\n');
        return EXIT.refused;
      }
      await acting.service.deleteDataset(request);
      const done = { id: datasetId, deleted: true };
      printAnswer({ settings, terminal }, done, () => `Deleted ${datasetId}.\n`);
      return EXIT.complete;
    });
  },
});

async function questionOf({ service }: UserService, request: DatasetRequest): Promise<string> {
  const { value } = await service.getDatasetOverview(request);
  const status = await service.getDatasetStatus(request);
  const sources = status.synched_count + status.invalid_count + status.synching_count;
  const name = JSON.stringify(fieldText(value.name));
  return `Delete dataset ${request.datasetId} ${name} and its ${counted(sources, 'data source')}? This cannot be undone.`;
}
