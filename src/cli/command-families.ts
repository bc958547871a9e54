/** The families of commands, in the order of `--help`, which has them after the commands of one word. */
import type { CommandFamily } from './command.js';

export const COMMAND_FAMILIES: readonly CommandFamily[] = [
  { word: 'config', describe: 'The settings in effect: show' },
  {
    word: 'hold',
    describe: 'What must stay in the archive and on the service: add, release, list',
  },
  {
    word: 'request',
    describe: 'Requests, such as for access, evidence or erasure: new, show, close, list',
  },
  { word: 'gap', describe: 'What could not be archived: accept, withdraw, list' },
  { word: 'sessions', describe: "A user's sessions on the service: list, get, create, modify, …" },
  { word: 'datasets', describe: "The project's datasets: list, overview, create, modify, …" },
];
