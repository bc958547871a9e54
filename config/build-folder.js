/** Where the build is put together, and where it goes when it is whole. On one file system: a rename swaps them. */
import { fileURLToPath } from 'node:url';

export const dist = fileURLToPath(new URL('../dist', import.meta.url));
export const building = `${dist}.building`;
