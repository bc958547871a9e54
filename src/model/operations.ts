/** The service's twelve operations: client, emulator and the table of `src/service/README.md` follow this list. */

interface OperationShape {
  /** As it follows “could not” in messages. */
  readonly words: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base URL; `{id}` stands for the id of a session or a dataset. */
  readonly path: string;
  /** Whether it lists sessions or datasets. Such a list always exists, so a 404 means a wrong address. */
  readonly isListing?: true;
}

const SESSIONS = '/v2/team/sessions';
const DATASETS = '/v2/team/datasets';

export const OPERATIONS = {
  listSessions: { words: 'list sessions', method: 'GET', path: SESSIONS, isListing: true },
  getSession: { words: 'get session', method: 'GET', path: `${SESSIONS}/{id}` },
  createSession: { words: 'create session', method: 'POST', path: SESSIONS },
  modifySession: { words: 'modify session', method: 'POST', path: `${SESSIONS}/{id}` },
  deleteSession: { words: 'delete session', method: 'DELETE', path: `${SESSIONS}/{id}` },
  getHistory: { words: 'get job history', method: 'GET', path: `${SESSIONS}/{id}/history` },
  listDatasets: { words: 'list datasets', method: 'GET', path: DATASETS, isListing: true },
  getDatasetOverview: {
    words: 'get dataset overview',
    method: 'GET',
    path: `${DATASETS}/{id}/overview`,
  },
  getDatasetStatus: { words: 'get dataset status', method: 'GET', path: `${DATASETS}/{id}/status` },
  createDataset: { words: 'create dataset', method: 'POST', path: DATASETS },
  modifyDataset: { words: 'modify dataset', method: 'POST', path: `${DATASETS}/{id}` },
  deleteDataset: { words: 'delete dataset', method: 'DELETE', path: `${DATASETS}/{id}` },
} as const satisfies Readonly<Record<string, OperationShape>>;

export type OperationName = keyof typeof OPERATIONS;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

export function operationShape(name: OperationName): OperationShape {
  return OPERATIONS[name];
}
