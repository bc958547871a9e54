/** Every command, in the order in which `--help` lists them. */
import type { Command } from './command.js';
import { demoCommand } from './demo.js';
import { evidenceCommand } from './evidence.js';
import { exportCommand } from './export.js';
import { filesCommand } from './files.js';
import { pruneCommand } from './prune.js';
import { serveCommand } from './serve.js';
import { showCommand } from './show.js';
import { statusCommand } from './status.js';
import { verifyCommand } from './verify.js';

export const COMMANDS: readonly Command[] = [
  exportCommand,
  verifyCommand,
  statusCommand,
  filesCommand,
  showCommand,
  evidenceCommand,
  pruneCommand,
  serveCommand,
  demoCommand,
];
