/** The twelve operations of the interface, as named in statistics and faults. */
export const OPERATIONS = [
  'listSessions',
  'getSession',
  'createSession',
  'modifySession',
  'deleteSession',
  'getHistory',
  'listDatasets',
  'getDatasetOverview',
  'getDatasetStatus',
  'createDataset',
  'modifyDataset',
  'deleteDataset',
] as const;

export type OperationName = (typeof OPERATIONS)[number];
