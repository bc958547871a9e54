/** Shows the plan of a deletion and asks for confirmation. */
import type { PruneSummary } from '../prune/prune-summary.js';
import { sessionsAndJobs } from './output/aligned.js';
import { confirm } from './input/confirm.js';
import { canAsk } from './input/questions.js';
import { plain } from './output/paint.js';
import { pruneReport } from './output/reports/prune-report.js';
import type { Terminal } from './terminal.js';

/** Undefined with `--yes` or without a terminal. */
export function askBeforePrune(
  terminal: Terminal,
  yes: boolean,
): ((plan: PruneSummary) => Promise<boolean>) | undefined {
  if (yes || !canAsk(terminal)) return undefined;
  return (plan) => {
    const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned');
    terminal.stderr.write(pruneReport(plan, plain));
    const what = sessionsAndJobs(planned, ' with ');
    return confirm(`Delete ${what} from the service permanently?`, terminal);
  };
}
