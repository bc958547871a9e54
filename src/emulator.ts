/** What programs import as `jobvault/emulator`: the service's twelve operations on this machine, for tests. */
export { startEmulator } from './emulator/emulator.js';
export type { Emulator } from './emulator/emulator.js';
export type { EmulatorOptions } from './emulator/options.js';
