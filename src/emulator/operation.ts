/** The twelve operations of the interface, by the names that statistics and faults use. */
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

export type Operation = (typeof OPERATIONS)[number];
