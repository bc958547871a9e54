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
} from '../../../config/service-command-settings.js';
import { asDatasetId } from '../../../model/ids.js';
import { freshAnswer } from '../../../service/call.js';
import { Listings } from '../../../service/page-reader.js';
import { staleText } from '../../../service/service-errors.js';
import { isUsable, waitForDataset } from '../../../service/wait-for-dataset.js';
import { deleteOne } from '../../delete-one.js';
import { EXIT } from '../../exit-code.js';
import { consent } from '../../input/confirm.js';
import { fieldText } from '../../input/with-service.js';
import { counted } from '../../../base/text/counted.js';
import { listingResult, readListing } from '../../output/listing.js';
import { changedResult, createdResult, recordResult, serviceCommand } from './service-command.js';

const DATASET = { word: 'dataset', idOf: asDatasetId };

const FIELDS = ['id', 'name', 'description'] as const;

export const datasetsListCommand = serviceCommand({
  usage: 'datasets list',
  describe: 'List the datasets of the project',
  settings: listSettings,
  examples: {
    'jobvault datasets list --user ada': 'the first page, as a table',
    'jobvault datasets list --user ada --all --json': 'every dataset, one line of JSON',
    'jobvault datasets list --user ada --search sales': 'by a word of the name or description',
  },
  onlyReads: true,
  answer: async ({ service, userId, signal }, { settings }) => {
    const { pageSize, search } = settings;
    const reader = new Listings({ service, pageSize, signal }).datasetsOf(userId, search);
    const listed = await readListing(settings, 'dataset', reader);
    const rows = listed.records.map(({ value }) => FIELDS.map((field) => fieldText(value[field])));
    return listingResult(listed, { table: { headings: FIELDS, rows } });
  },
});

export const datasetsOverviewCommand = serviceCommand({
  usage: 'datasets overview <dataset>',
  describe: 'Show what a dataset is about: summary, keywords, suggested questions',
  about: DATASET,
  examples: {
    'jobvault datasets overview 7c1d… --user ada': 'one field per line; --json for programs',
  },
  onlyReads: true,
  answer: async ({ service, userId, id }) =>
    recordResult((await service.getDatasetOverview({ userId, datasetId: id })).value),
});

export const datasetsCreateCommand = serviceCommand({
  usage: 'datasets create',
  describe: 'Create a dataset; its id is printed',
  settings: newDatasetSettings,
  examples: {
    'jobvault datasets create --user ada --name Sales --description "Orders since 2019"':
      'prints the new id, to upload data sources into',
  },
  answer: async ({ service, userId }, { settings: { name, description } }) =>
    createdResult(await service.createDataset({ userId, name, description })),
});

export const datasetsModifyCommand = serviceCommand({
  usage: 'datasets modify <dataset>',
  describe: 'Change the name or the description of a dataset',
  about: DATASET,
  settings: datasetSettings,
  examples: {
    'jobvault datasets modify 7c1d… --user ada --name "Sales, EMEA"': 'another name',
    'jobvault datasets modify 7c1d… --user ada --description=': 'no description any more',
  },
  begin: ({ settings: { name, description } }) => {
    if (name !== undefined || description !== undefined) return;
    throw new UsageError('there is nothing to change; give --name, --description or both');
  },
  answer: async ({ service, userId, id }, { settings: { name, description } }) => {
    await service.modifyDataset({ userId, datasetId: id, name, description });
    return changedResult(id);
  },
});

export const datasetsDeleteCommand = serviceCommand({
  usage: 'datasets delete <dataset>',
  describe: 'Delete a dataset and all its data sources for good',
  about: DATASET,
  settings: deletionSettings,
  examples: {
    'jobvault datasets delete 7c1d… --user ada': 'shows it, and asks; no is exit code 7',
    'jobvault datasets delete 7c1d… --user ada --yes': 'asks nobody',
  },
  begin: (invocation) => (invocation.settings.dryRun ? undefined : consent(invocation)),
  answer: ({ service, userId, id }, invocation, ask) => {
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
  },
});

export const datasetsStatusCommand = serviceCommand({
  usage: 'datasets status <dataset>',
  describe: 'Count the data sources of a dataset: synched, synching, invalid',
  about: DATASET,
  settings: datasetStatusSettings,
  examples: {
    'jobvault datasets status 7c1d… --user ada': 'the current counts',
    'jobvault datasets status 7c1d… --user ada --wait --timeout 10m':
      'exit code 0 when all is usable, 3 when a source is invalid or time runs out',
  },
  onlyReads: true,
  answer: async ({ service, userId, id, signal }, { settings, logger }) => {
    const { wait, timeoutMs, intervalMs } = settings;
    const request = { userId, datasetId: id, signal };
    const status = wait
      ? await waitForDataset(service, request, {
          timeoutMs,
          intervalMs,
          clock: systemClock,
          onPoll: ({ synching_count: synching }) => logger.debug({ synching }, 'still synching'),
        })
      : await service.getDatasetStatus(request);
    const usable = isUsable(status);
    const sources = counted(status.synching_count, 'data source');
    const note = `jobvault: ${sources} still synching after ${formatDuration(timeoutMs)}`;
    return {
      exitCode: wait && !usable ? EXIT.gaps : EXIT.complete,
      value: { id, ...status, usable },
      view: {
        facts: [
          ['synched', String(status.synched_count)],
          ['synching', String(status.synching_count)],
          ['invalid', String(status.invalid_count)],
          ['usable', usable ? 'yes' : 'no'],
        ],
      },
      note: wait && status.synching_count > 0 ? note : undefined,
    };
  },
});
