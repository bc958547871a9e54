/** The six dataset operations. */
import { LIMITS } from '../../model/records.js';
import { type DatasetState } from '../seed/seeded-ids.js';
import { emptyData, type ApiCall, type ApiContext, type Handlers, refusals } from './api-call.js';
import { cutToCharacters, grantedPage, inputOf, pageText } from './page.js';
import { newId } from './operation-routes.js';

export const datasetHandlers = {
  listDatasets({ project, input }, context) {
    const { search, ...asked } = inputOf('listDatasets', input, context);
    const page = grantedPage(asked, context);
    const all = context.world.datasets(project);
    const found = search
      ? all.filter(({ name, description }) => `${name}\n${description}`.includes(search))
      : all;
    return pageText(found, page, context, (dataset) => JSON.stringify(shownDataset(dataset)));
  },
  createDataset({ project, userId, input }, context) {
    const { name, description = '' } = inputOf('createDataset', input, context);
    const id = newId(context, 'dataset');
    context.world.setDataset({
      id,
      project,
      creator: userId,
      name,
      description,
      summary: '',
      exploration_questions: [],
      keywords: [],
      synched_count: 0,
      invalid_count: 0,
      synching_count: 0,
    });
    return JSON.stringify({ id });
  },
  getDatasetOverview(call, context) {
    const dataset = visibleDataset(call, context);
    const { summary, exploration_questions, keywords } = dataset;
    return JSON.stringify({
      ...shownDataset(dataset),
      summary,
      exploration_questions,
      keywords,
    });
  },
  getDatasetStatus(call, context) {
    const { synched_count, invalid_count, synching_count } = visibleDataset(call, context);
    return JSON.stringify({ synched_count, invalid_count, synching_count });
  },
  modifyDataset(call, context) {
    const { name, description } = inputOf('modifyDataset', call.input, context);
    if (name === undefined && description === undefined) {
      throw refusals.invalidParameter('at least one of name and description is required');
    }
    const dataset = ownDataset(call, context);
    context.world.setDataset({
      ...dataset,
      name: name ?? dataset.name,
      description: description ?? dataset.description,
    });
    return emptyData(context);
  },
  deleteDataset(call, context) {
    context.world.deleteDataset(ownDataset(call, context).id);
    return emptyData(context);
  },
} satisfies Partial<Handlers>;

/** A dataset of another project is not found, rather than forbidden. */
function visibleDataset({ project, pathId }: ApiCall, { world }: ApiContext): DatasetState {
  const dataset = world.dataset(project, pathId);
  if (!dataset) throw refusals.notFound('the dataset');
  return dataset;
}

function ownDataset(call: ApiCall, context: ApiContext): DatasetState {
  const dataset = visibleDataset(call, context);
  if (dataset.creator !== call.userId) {
    throw refusals.noPermission('only its creator may change or delete a dataset');
  }
  return dataset;
}

function shownDataset({ id, name, description }: DatasetState): {
  id: string;
  name: string;
  description: string;
} {
  return {
    id,
    name: cutToCharacters(name, LIMITS.nameLength),
    description: cutToCharacters(description, LIMITS.descriptionLength),
  };
}
