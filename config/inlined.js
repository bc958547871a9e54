/** Modules of dist into which the build puts the packages that they import; all are loaded when used. */
export const INLINED = [
  'fleet/bullmq.js',
  'formats/xlsx/exceljs.js',
  'mcp/sdk.js',
  'telemetry/send-traces.js',
];
