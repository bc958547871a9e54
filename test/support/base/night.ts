/** Whether this run may take a night (`npm run test:night`). */
export const isNight = process.env['JOBVAULT_TEST_NIGHT'] === '1';
