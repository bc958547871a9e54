/** Modules of dist into which the build puts the packages that they import, and which are not part of the program's one file. */
export const INLINED = [
  'fleet/bullmq.js',
  'formats/xlsx/exceljs.js',
  'mcp/sdk.js',
  'model/markdown/marks.js',
];
