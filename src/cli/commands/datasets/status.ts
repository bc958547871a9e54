import { formatDuration } from '../../../base/duration.js';
import { systemClock } from '../../../base/system-clock.js';
import { datasetStatusSettings } from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import type { DatasetStatus } from '../../../model/records.js';
import { isUsable, waitForDataset } from '../../../service/wait-for-dataset.js';
import { withService } from '../../input/with-service.js';
import { aligned, counted } from '../../output/aligned.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { printAnswer } from '../../output/print-answer.js';

export const datasetsStatusCommand = defineCommand({
  positionals: { dataset: "The dataset's id" },
  settings: datasetStatusSettings,
  examples: [
    ['jobvault datasets status 7c1d… --user ada', 'the current counts'],
    [
      'jobvault datasets status 7c1d… --user ada --wait --timeout 10m',
      'exit code 0 when all is usable, 3 when a source is invalid or time runs out',
    ],
  ],
  run: (invocation) =>
    withService(invocation, async ({ service, userId, signal }) => {
      const { settings, terminal, positionals, logger } = invocation;
      const { wait, timeout: timeoutMs, interval: intervalMs } = settings;
      const request = { userId, datasetId: asDatasetId(positionals['dataset'] ?? ''), signal };
      const status = wait
        ? await waitForDataset(service, request, {
            timeoutMs,
            intervalMs,
            clock: systemClock,
            onLook: ({ synching_count: synching }) => logger.debug({ synching }, 'still synching'),
          })
        : await service.getDatasetStatus(request);
      const usable = isUsable(status);
      const answer = { id: request.datasetId, ...status, usable };
      printAnswer({ settings, terminal }, answer, () => statusText(status));
      if (wait && status.synching_count > 0) {
        const sources = counted(status.synching_count, 'data source');
        const waited = formatDuration(timeoutMs);
        terminal.stderr.write(`jobvault: ${sources} still synching after ${waited}\n`);
      }
      return wait && !usable ? EXIT.gaps : EXIT.complete;
    }),
});

function statusText(status: DatasetStatus): string {
  return aligned([
    ['synched', String(status.synched_count)],
    ['synching', String(status.synching_count)],
    ['invalid', String(status.invalid_count)],
    ['usable', isUsable(status) ? 'yes' : 'no'],
  ]);
}
