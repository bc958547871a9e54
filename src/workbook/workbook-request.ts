import type { RequestRecord } from '../archive/log/request-history.js';

/** The request for which a workbook is made. */
export type WorkbookRequest = Pick<
  RequestRecord,
  'id' | 'name' | 'reason' | 'by' | 'since' | 'decisions'
>;
