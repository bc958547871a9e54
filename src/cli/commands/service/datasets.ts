/** The commands of `datasets`: one operation of the service each. */
import { formatDuration } from '../../../base/units.js';
import { systemClock } from '../../../base/runtime.js';
import { UsageError } from '../../../base/error.js';
import {
  datasetSettings,
  datasetStatusSettings,
  deletionSettings,
  listSettings,
  newDatasetSettings,
  serviceUserSettings,
} from '../../../config/service-command-settings.js';
import { asDatasetId, type DatasetId } from '../../../model/ids.js';
import type { DatasetStatus } from '../../../model/records.js';
import { freshAnswer } from '../../../service/call.js';
import { Listings } from '../../../service/page-reader.js';
import { staleText } from '../../../service/service-errors.js';
import { isUsable, waitForDataset } from '../../../service/wait-for-dataset.js';
import { defineCommand, type Invocation } from '../../command.js';
import { deleteOne } from '../../delete-one.js';
import { EXIT } from '../../exit-code.js';
import { consent } from '../../input/confirm.js';
import { withService, fieldText, recordText } from '../../input/with-service.js';
import { counted } from '../../../base/text/counted.js';
import { aligned } from '../../output/aligned.js';
import { listingResult, readListing } from '../../output/listing.js';
import { tableText } from '../../output/table-text.js';
import { terminalWidth } from '../../output/terminal.js';

const positionals = { dataset: "The dataset's id" };

function datasetIn(invocation: Pick<Invocation, 'positionals'>): DatasetId {
  return asDatasetId(invocation.positionals['dataset'] ?? '');
}

const FIELDS = ['id', 'name', 'description'] as const;

export const datasetsListCommand = defineCommand({
  settings: listSettings,
  examples: [
    ['jobvault datasets list --user ada', 'the first page, as a table'],
    ['jobvault datasets list --user ada --all --json', 'every dataset, one line of JSON'],
    ['jobvault datasets list --user ada --search sales', 'by a word of the name or description'],
  ],
  onlyReads: () => true,
  run: (invocation) => {
    const { settings, terminal } = invocation;
    const { pageSize, search } = settings;
    return withService(invocation, async ({ service, userId, signal }) => {
      const reader = new Listings({ service, pageSize, signal }).datasetsOf(userId, search);
      const listed = await readListing(settings, 'dataset', reader);
      const rows = listed.records.map(({ value }) =>
        FIELDS.map((field) => fieldText(value[field])),
      );
      const text = () => tableText(FIELDS, rows, terminalWidth(terminal.stdout));
      return listingResult(listed, text);
    });
  },
});

export const datasetsOverviewCommand = defineCommand({
  positionals,
  settings: serviceUserSettings,
  examples: [
    ['jobvault datasets overview 7c1d… --user ada', 'one field per line; --json for programs'],
  ],
  onlyReads: () => true,
  run: (invocation) =>
    withService(invocation, async ({ service, userId }) => {
      const datasetId = datasetIn(invocation);
      const { value } = await service.getDatasetOverview({ userId, datasetId });
      return { value: value, text: () => recordText(value) };
    }),
});

export const datasetsCreateCommand = defineCommand({
  settings: { ...serviceUserSettings, ...newDatasetSettings },
  examples: [
    [
      'jobvault datasets create --user ada --name Sales --description "Orders since 2019"',
      'prints the new id, to upload data sources into',
    ],
  ],
  run: async (invocation) => {
    const { name, description } = invocation.settings;
    return withService(invocation, async ({ service, userId }) => {
      const id = await service.createDataset({ userId, name, description });
      return { value: { id }, text: () => `${id}\n` };
    });
  },
});

export const datasetsModifyCommand = defineCommand({
  positionals,
  settings: { ...serviceUserSettings, ...datasetSettings },
  examples: [
    ['jobvault datasets modify 7c1d… --user ada --name "Sales, EMEA"', 'another name'],
    ['jobvault datasets modify 7c1d… --user ada --description=', 'no description any more'],
  ],
  run: async (invocation) => {
    const { name, description } = invocation.settings;
    const datasetId = datasetIn(invocation);
    if (name === undefined && description === undefined) {
      throw new UsageError('there is nothing to change; give --name, --description or both');
    }
    return withService(invocation, async ({ service, userId }) => {
      await service.modifyDataset({ userId, datasetId, name, description });
      const done = { id: datasetId, modified: true };
      return { value: done, text: () => `Changed ${datasetId}.\n` };
    });
  },
});

export const datasetsDeleteCommand = defineCommand({
  positionals,
  settings: deletionSettings,
  examples: [
    ['jobvault datasets delete 7c1d… --user ada', 'shows it, and asks; no is exit code 7'],
    ['jobvault datasets delete 7c1d… --user ada --yes', 'asks nobody'],
  ],
  run: async (invocation) => {
    const ask = invocation.settings.dryRun ? undefined : consent(invocation);
    const id = datasetIn(invocation);
    return withService(invocation, async ({ service, userId }) => {
      const dataset = { userId, datasetId: id };
      const fresh = <T>(read: () => Promise<T>, outcome = '') =>
        freshAnswer(service, read, (header) => `${outcome}${staleText(id, header, 'dataset')}`);
      const find = (outcome?: string) => fresh(() => service.getDatasetOverview(dataset), outcome);
      const describe = async () => {
        const nothing = 'nothing was deleted: ';
        const { value } = await find(nothing);
        const status = await fresh(() => service.getDatasetStatus(dataset), nothing);
        const sources = status.synched_count + status.invalid_count + status.synching_count;
        const name = JSON.stringify(fieldText(value.name));
        return `dataset ${id} ${name} and its ${counted(sources, 'data source')}`;
      };
      const remove = () => service.deleteDataset(dataset);
      return deleteOne(invocation, { id, ask, describe, remove, find });
    });
  },
});

export const datasetsStatusCommand = defineCommand({
  positionals,
  settings: datasetStatusSettings,
  examples: [
    ['jobvault datasets status 7c1d… --user ada', 'the current counts'],
    [
      'jobvault datasets status 7c1d… --user ada --wait --timeout 10m',
      'exit code 0 when all is usable, 3 when a source is invalid or time runs out',
    ],
  ],
  onlyReads: () => true,
  run: (invocation) =>
    withService(invocation, async ({ service, userId, signal }) => {
      const { settings, logger } = invocation;
      const { wait, timeoutMs, intervalMs } = settings;
      const request = { userId, datasetId: datasetIn(invocation), signal };
      const status = wait
        ? await waitForDataset(service, request, {
            timeoutMs,
            intervalMs,
            clock: systemClock,
            onPoll: ({ synching_count: synching }) => logger.debug({ synching }, 'still synching'),
          })
        : await service.getDatasetStatus(request);
      const usable = isUsable(status);
      const answer = { id: request.datasetId, ...status, usable };
      const sources = counted(status.synching_count, 'data source');
      const note = `jobvault: ${sources} still synching after ${formatDuration(timeoutMs)}\n`;
      return {
        exitCode: wait && !usable ? EXIT.gaps : EXIT.complete,
        value: answer,
        text: () => statusText(status),
        note: wait && status.synching_count > 0 ? note : undefined,
      };
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
