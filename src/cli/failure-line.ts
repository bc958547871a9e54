/** With `--json`, programs read exactly one line: also of what ended before it had anything to tell. */
import { messageOf } from '../base/error.js';
import { redactText } from '../base/redact.js';
import { resolveSettings, type SettingSources } from '../config/resolve-settings.js';
import { commonSettings } from '../config/settings.js';
import { EXIT } from './exit-code.js';
import { withWrite } from './harmless-terminal.js';
import type { Terminal } from './terminal.js';
import { jsonLine } from './json-line.js';

export interface Failure {
  readonly exitCode: number;
  /** Undefined where a command said no and nothing was thrown. */
  readonly error: unknown;
  /** What can be had of them: whether `--json` is among them. */
  readonly sources: SettingSources;
  readonly secrets: readonly string[];
}

/** Nothing is added to what a command has begun to print. */
export class FailureLine {
  /** As it came, with an eye on stdout. */
  readonly terminal: Terminal;
  #hasTold = false;

  constructor(terminal: Terminal) {
    const stdout = withWrite(terminal.stdout, (data) => {
      this.#hasTold = true;
      return terminal.stdout.write(data);
    });
    this.terminal = { ...terminal, stdout };
  }

  /** `{"status":"failed","exit_code":2,"error":"…"}`, where it is asked for and nothing else is there. */
  tell({ exitCode, error, sources, secrets }: Failure): void {
    if (exitCode === EXIT.complete || this.#hasTold || !wantsJson(sources)) return;
    const line = {
      status: exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed',
      exit_code: exitCode,
      error: error === undefined ? null : redactText(messageOf(error), secrets),
    };
    this.terminal.stdout.write(jsonLine(line));
  }
}

/** Also where other settings make no sense. */
function wantsJson(sources: SettingSources): boolean {
  try {
    return resolveSettings({ json: commonSettings.json }, sources).json;
  } catch {
    return false;
  }
}
