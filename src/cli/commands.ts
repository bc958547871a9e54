/** Every command, in the order of `--help`; `npm run commands` adds what is new, from the commands' files. */
import type { ListedCommand } from './command.js';

export const COMMANDS: readonly ListedCommand[] = [
  {
    usage: 'export',
    describe: 'Archive the history of users',
    load: async () => (await import('./commands/export.js')).exportCommand,
  },
  {
    usage: 'verify [archive]',
    describe: 'Prove that an archive is whole: the chain, every file, every row count',
    load: async () => (await import('./commands/verify.js')).verifyCommand,
  },
  {
    usage: 'drill [archive]',
    describe: 'Restore the archive from itself into scratch space, and compare every row and file',
    load: async () => (await import('./commands/drill.js')).drillCommand,
  },
  {
    usage: 'status [archive..]',
    describe: 'Show what an archive holds, or several together, or the state of a fleet (--redis)',
    load: async () => (await import('./commands/status.js')).statusCommand,
  },
  {
    usage: 'files [archive] [table]',
    describe: 'Print the files of a table in the newest commit, or the checksums of all objects',
    load: async () => (await import('./commands/files.js')).filesCommand,
  },
  {
    usage: 'changes [archive]',
    describe:
      'List what was added, changed and removed since a commit, for a program that loads the tables',
    load: async () => (await import('./commands/changes.js')).changesCommand,
  },
  {
    usage: 'show [archive] [session] [job]',
    describe: 'Print a session with its files; without a session, list them',
    load: async () => (await import('./commands/show.js')).showCommand,
  },
  {
    usage: 'tables [archive] [table]',
    describe: 'List tables and views, or the columns of one, with types, meanings and an example',
    load: async () => (await import('./commands/tables.js')).tablesCommand,
  },
  {
    usage: 'query [archive] [sql..]',
    describe:
      'Query the archive in SQL: its tables, current_* views of the newest versions, and v_* views with ready answers',
    load: async () => (await import('./commands/query.js')).queryCommand,
  },
  {
    usage: 'search [archive] [words]',
    describe: 'Search questions and answers for words, in any script; newest first',
    load: async () => (await import('./commands/search.js')).searchCommand,
  },
  {
    usage: 'mcp [archive]',
    describe: 'Answer an assistant over stdin and stdout (MCP): status, search, SQL, …; read-only',
    load: async () => (await import('./commands/mcp.js')).mcpCommand,
  },
  {
    usage: 'report [archive]',
    describe:
      'Write a web page of the archive to browse and search; it opens from disk, without a network',
    load: async () => (await import('./commands/report.js')).reportCommand,
  },
  {
    usage: 'workbook [archive]',
    describe: 'Write conversations and tables of users as a workbook for Excel or LibreOffice',
    load: async () => (await import('./commands/workbook.js')).workbookCommand,
  },
  {
    usage: 'evidence [archive]',
    describe: 'Write an evidence pack that a third party can check: a BagIt bag with checksums',
    load: async () => (await import('./commands/evidence.js')).evidenceCommand,
  },
  {
    usage: 'prune [archive]',
    describe: 'Delete from the service what the archive provably holds; shows it, and asks',
    load: async () => (await import('./commands/prune.js')).pruneCommand,
  },
  {
    usage: 'compact <archive>',
    describe:
      'Merge the small files of each table and day (of each month when it is over); rows stay as they are',
    load: async () => (await import('./commands/compact.js')).compactCommand,
  },
  {
    usage: 'erase [archive]',
    describe:
      'Remove a person or a session from the archive for good, and leave a receipt in its log',
    load: async () => (await import('./commands/erase.js')).eraseCommand,
  },
  {
    usage: 'expire [archive]',
    describe: 'Remove old sessions from the archive (--older-than); shows them, and asks',
    load: async () => (await import('./commands/expire.js')).expireCommand,
  },
  {
    usage: 'hold add <archive>',
    describe: 'Put users or sessions on hold: nothing deletes or erases them',
    load: async () => (await import('./commands/hold.js')).holdAddCommand,
  },
  {
    usage: 'hold release <archive>',
    describe: 'Release holds; this deletes nothing',
    load: async () => (await import('./commands/hold.js')).holdReleaseCommand,
  },
  {
    usage: 'hold list [archive]',
    describe: 'List the holds of the archive, also those that were released',
    load: async () => (await import('./commands/hold.js')).holdListCommand,
  },
  {
    usage: 'request new <archive> <name>',
    describe: 'Record a request: who asked, why, and which people, words and period it is about',
    load: async () => (await import('./commands/request.js')).requestNewCommand,
  },
  {
    usage: 'request show <archive> <name>',
    describe: 'Show a request with its holds, searches, packs and erasures',
    load: async () => (await import('./commands/request.js')).requestShowCommand,
  },
  {
    usage: 'request decide <archive> <name> <decision>',
    describe:
      'Withhold, redact or include a conversation or a question in what is made for a request',
    load: async () => (await import('./commands/request.js')).requestDecideCommand,
  },
  {
    usage: 'request close <archive> <name>',
    describe: 'Close a request; the holds that were set for it stay unless you release them',
    load: async () => (await import('./commands/request.js')).requestCloseCommand,
  },
  {
    usage: 'request list [archive]',
    describe: 'List the requests of the archive, also those that are closed',
    load: async () => (await import('./commands/request.js')).requestListCommand,
  },
  {
    usage: 'gap accept <archive>',
    describe:
      'Accept gaps of a session, a user or a status: runs count them separately, and do not fail',
    load: async () => (await import('./commands/gap-accept.js')).gapAcceptCommand,
  },
  {
    usage: 'gap withdraw <archive>',
    describe: 'Withdraw the acceptance of gaps: runs fail for them again',
    load: async () => (await import('./commands/gap-accept.js')).gapWithdrawCommand,
  },
  {
    usage: 'gap list [archive]',
    describe: 'List the gaps of the archive, also those that are accepted',
    load: async () => (await import('./commands/gap.js')).gapListCommand,
  },
  {
    usage: 'copy <archive> <target>',
    describe:
      'Copy the archive and verify the copy; run again to bring it up to date (but for --pseudonymise)',
    load: async () => (await import('./commands/copy.js')).copyCommand,
  },
  {
    usage: 'sessions list',
    describe: 'List the sessions of a user',
    load: async () => (await import('./commands/service/sessions.js')).sessionsListCommand,
  },
  {
    usage: 'sessions get <session>',
    describe: 'Show the name and the settings of a session',
    load: async () => (await import('./commands/service/sessions.js')).sessionsGetCommand,
  },
  {
    usage: 'sessions create',
    describe: 'Create a session; its id is printed',
    load: async () => (await import('./commands/service/sessions.js')).sessionsCreateCommand,
  },
  {
    usage: 'sessions modify <session>',
    describe: 'Change a session; the service requires its name every time',
    load: async () => (await import('./commands/service/sessions.js')).sessionsModifyCommand,
  },
  {
    usage: 'sessions delete <session>',
    describe: 'Delete a session and its history for good; prune deletes only what is archived',
    load: async () => (await import('./commands/service/sessions.js')).sessionsDeleteCommand,
  },
  {
    usage: 'sessions history <session>',
    describe: 'Print the questions and answers of a session, as the service has them now',
    load: async () => (await import('./commands/service/sessions.js')).sessionsHistoryCommand,
  },
  {
    usage: 'datasets list',
    describe: 'List the datasets of the project',
    load: async () => (await import('./commands/service/datasets.js')).datasetsListCommand,
  },
  {
    usage: 'datasets overview <dataset>',
    describe: 'Show what a dataset is about: summary, keywords, suggested questions',
    load: async () => (await import('./commands/service/datasets.js')).datasetsOverviewCommand,
  },
  {
    usage: 'datasets create',
    describe: 'Create a dataset; its id is printed',
    load: async () => (await import('./commands/service/datasets.js')).datasetsCreateCommand,
  },
  {
    usage: 'datasets modify <dataset>',
    describe: 'Change the name or the description of a dataset',
    load: async () => (await import('./commands/service/datasets.js')).datasetsModifyCommand,
  },
  {
    usage: 'datasets delete <dataset>',
    describe: 'Delete a dataset and all its data sources for good',
    load: async () => (await import('./commands/service/datasets.js')).datasetsDeleteCommand,
  },
  {
    usage: 'datasets status <dataset>',
    describe: 'Count the data sources of a dataset: synched, synching, invalid',
    load: async () => (await import('./commands/service/datasets.js')).datasetsStatusCommand,
  },
  {
    usage: 'enqueue',
    describe: 'Put users into the queue for workers to export',
    load: async () => (await import('./commands/fleet/enqueue.js')).enqueueCommand,
  },
  {
    usage: 'worker',
    describe: 'Export users from the queue; any number of workers can run at once',
    load: async () => (await import('./commands/fleet/worker.js')).workerCommand,
  },
  {
    usage: 'init',
    describe: 'Write a commented configuration file, with a schema for editors',
    load: async () => (await import('./commands/setup/init.js')).initCommand,
  },
  {
    usage: 'doctor',
    describe: 'Check what an export needs, with a few requests, and say how to fix what is wrong',
    load: async () => (await import('./commands/setup/doctor.js')).doctorCommand,
  },
  {
    usage: 'config show',
    describe: 'Show the effective settings and where each comes from; secrets are masked',
    load: async () => (await import('./commands/setup/config-show.js')).configShowCommand,
  },
  {
    usage: 'completion <shell>',
    describe: 'Print a completion script for a shell',
    load: async () => (await import('./commands/setup/completion.js')).completionCommand,
  },
  {
    usage: 'serve',
    describe: 'Run an emulator of the service, with generated data',
    load: async () => (await import('./commands/service/serve.js')).serveCommand,
  },
  {
    usage: 'demo',
    describe:
      'Try jobvault: start the emulator, archive its users, verify the archive, write a report',
    load: async () => (await import('./commands/setup/demo.js')).demoCommand,
  },
];
