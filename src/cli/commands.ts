/** Every command, in the order in which `--help` lists them. */
import type { Command, CommandFamily } from './command.js';
import { compactCommand } from './commands/compact.js';
import { copyCommand } from './commands/copy.js';
import { configShowCommand } from './commands/config/show.js';
import { datasetsCreateCommand } from './commands/datasets/create.js';
import { datasetsDeleteCommand } from './commands/datasets/delete.js';
import { datasetsListCommand } from './commands/datasets/list.js';
import { datasetsModifyCommand } from './commands/datasets/modify.js';
import { datasetsOverviewCommand } from './commands/datasets/overview.js';
import { datasetsStatusCommand } from './commands/datasets/status.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { enqueueCommand } from './commands/enqueue.js';
import { eraseCommand } from './commands/erase.js';
import { evidenceCommand } from './commands/evidence.js';
import { exportCommand } from './commands/export.js';
import { filesCommand } from './commands/files.js';
import { initCommand } from './commands/init.js';
import { pruneCommand } from './commands/prune.js';
import { queryCommand } from './commands/query.js';
import { reportCommand } from './commands/report.js';
import { serveCommand } from './commands/serve.js';
import { sessionsCreateCommand } from './commands/sessions/create.js';
import { sessionsDeleteCommand } from './commands/sessions/delete.js';
import { sessionsGetCommand } from './commands/sessions/get.js';
import { sessionsHistoryCommand } from './commands/sessions/history.js';
import { sessionsListCommand } from './commands/sessions/list.js';
import { sessionsModifyCommand } from './commands/sessions/modify.js';
import { showCommand } from './commands/show.js';
import { statusCommand } from './commands/status.js';
import { verifyCommand } from './commands/verify.js';
import { workerCommand } from './commands/worker.js';

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
  sessionsListCommand,
  sessionsGetCommand,
  sessionsCreateCommand,
  sessionsModifyCommand,
  sessionsDeleteCommand,
  sessionsHistoryCommand,
  datasetsListCommand,
  datasetsOverviewCommand,
  datasetsCreateCommand,
  datasetsModifyCommand,
  datasetsDeleteCommand,
  datasetsStatusCommand,
  enqueueCommand,
  workerCommand,
  initCommand,
  doctorCommand,
  configShowCommand,
  serveCommand,
  demoCommand,
];

export const COMMAND_FAMILIES: readonly CommandFamily[] = [
  { word: 'config', describe: 'What the settings are: show' },
  { word: 'sessions', describe: "A user's sessions on the service: list, get, create, modify, …" },
  { word: 'datasets', describe: "The project's datasets: list, overview, create, modify, …" },
];
