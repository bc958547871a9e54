/** Every command, in the order in which `--help` lists them. */
import type { Command, CommandFamily } from './command.js';
import { compactCommand } from './compact.js';
import { copyCommand } from './copy.js';
import { configShowCommand } from './config/show.js';
import { datasetsCreateCommand } from './datasets/create.js';
import { datasetsDeleteCommand } from './datasets/delete.js';
import { datasetsListCommand } from './datasets/list.js';
import { datasetsModifyCommand } from './datasets/modify.js';
import { datasetsOverviewCommand } from './datasets/overview.js';
import { datasetsStatusCommand } from './datasets/status.js';
import { demoCommand } from './demo.js';
import { doctorCommand } from './doctor.js';
import { enqueueCommand } from './enqueue.js';
import { eraseCommand } from './erase.js';
import { evidenceCommand } from './evidence.js';
import { exportCommand } from './export.js';
import { filesCommand } from './files.js';
import { initCommand } from './init.js';
import { pruneCommand } from './prune.js';
import { queryCommand } from './query.js';
import { reportCommand } from './report.js';
import { serveCommand } from './serve.js';
import { sessionsCreateCommand } from './sessions/create.js';
import { sessionsDeleteCommand } from './sessions/delete.js';
import { sessionsGetCommand } from './sessions/get.js';
import { sessionsHistoryCommand } from './sessions/history.js';
import { sessionsListCommand } from './sessions/list.js';
import { sessionsModifyCommand } from './sessions/modify.js';
import { showCommand } from './show.js';
import { statusCommand } from './status.js';
import { verifyCommand } from './verify.js';
import { workerCommand } from './worker.js';

export const COMMANDS: readonly Command[] = [
  exportCommand,
  verifyCommand,
  statusCommand,
  filesCommand,
  showCommand,
  queryCommand,
  reportCommand,
  evidenceCommand,
  pruneCommand,
  compactCommand,
  eraseCommand,
  copyCommand,
  ...[sessionsListCommand, sessionsGetCommand, sessionsCreateCommand],
  ...[sessionsModifyCommand, sessionsDeleteCommand, sessionsHistoryCommand],
  ...[datasetsListCommand, datasetsOverviewCommand, datasetsCreateCommand],
  ...[datasetsModifyCommand, datasetsDeleteCommand, datasetsStatusCommand],
  enqueueCommand,
  workerCommand,
  ...[initCommand, doctorCommand, configShowCommand],
  serveCommand,
  demoCommand,
];

export const COMMAND_FAMILIES: readonly CommandFamily[] = [
  { word: 'config', describe: 'What the settings are: show' },
  { word: 'sessions', describe: "A user's sessions on the service: list, get, create, modify, …" },
  { word: 'datasets', describe: "The project's datasets: list, overview, create, modify, …" },
];
