/** Every command, in the order in which `--help` lists them. A command's module is loaded when it is chosen. */
import type { CommandFamily, ListedCommand } from './command.js';

export const COMMANDS: readonly ListedCommand[] = [
  {
    usage: 'export',
    describe: 'Archive the history of users',
    load: async () => (await import('./commands/export.js')).exportCommand,
  },
  {
    usage: 'verify <archive>',
    describe: 'Prove that an archive is whole: the chain, every file, every row count',
    load: async () => (await import('./commands/verify.js')).verifyCommand,
  },
  {
    usage: 'status [archive]',
    describe: 'What an archive holds, or how a fleet stands (--redis)',
    load: async () => (await import('./commands/status.js')).statusCommand,
  },
  {
    usage: 'files <archive> <table>',
    describe: 'Print the files of a table, exactly those of the newest commit',
    load: async () => (await import('./commands/files.js')).filesCommand,
  },
  {
    usage: 'show <archive> [session] [job]',
    describe: 'Print a conversation: questions, answers, files; without a session: which there are',
    load: async () => (await import('./commands/show.js')).showCommand,
  },
  {
    usage: 'query <archive> [sql]',
    describe: 'Ask the archive in SQL: its tables, and current_* views of the newest versions',
    load: async () => (await import('./commands/query.js')).queryCommand,
  },
  {
    usage: 'search <archive> <words>',
    describe: 'Find jobs by their words, in any script, the newest first',
    load: async () => (await import('./commands/search.js')).searchCommand,
  },
  {
    usage: 'report <archive>',
    describe:
      'Make a web page of the archive, to browse and to search: opens from disk, needs no network',
    load: async () => (await import('./commands/report.js')).reportCommand,
  },
  {
    usage: 'workbook <archive>',
    describe: "Make one person's conversations and tables as a workbook, for Excel or LibreOffice",
    load: async () => (await import('./commands/workbook.js')).workbookCommand,
  },
  {
    usage: 'evidence <archive>',
    describe: 'Copy out what a third party needs to check, as a BagIt bag with checksums',
    load: async () => (await import('./commands/evidence.js')).evidenceCommand,
  },
  {
    usage: 'prune <archive>',
    describe:
      'Delete from the service what the archive provably holds; without --execute only plan',
    load: async () => (await import('./commands/prune.js')).pruneCommand,
  },
  {
    usage: 'compact <archive>',
    describe: 'Merge the small files of each table and day into large ones; rows stay as they are',
    load: async () => (await import('./commands/compact.js')).compactCommand,
  },
  {
    usage: 'erase <archive>',
    describe:
      'Remove a person or a session from the archive for good, and leave a receipt in its log',
    load: async () => (await import('./commands/erase.js')).eraseCommand,
  },
  {
    usage: 'expire <archive>',
    describe: 'Remove from the archive what is older than so long; without --execute only plan',
    load: async () => (await import('./commands/expire.js')).expireCommand,
  },
  {
    usage: 'hold add <archive>',
    describe: 'Put users or sessions on hold: nothing deletes or erases them',
    load: async () => (await import('./commands/hold/add.js')).holdAddCommand,
  },
  {
    usage: 'hold release <archive>',
    describe: 'Release holds; nothing is deleted by that',
    load: async () => (await import('./commands/hold/release.js')).holdReleaseCommand,
  },
  {
    usage: 'hold list <archive>',
    describe: 'Every hold of the archive, also those that were released',
    load: async () => (await import('./commands/hold/list.js')).holdListCommand,
  },
  {
    usage: 'copy <archive> <target>',
    describe: 'Take the archive to another place, proved; again: bring that copy up to date',
    load: async () => (await import('./commands/copy.js')).copyCommand,
  },
  {
    usage: 'sessions list',
    describe: 'The sessions that a user has created',
    load: async () => (await import('./commands/sessions/list.js')).sessionsListCommand,
  },
  {
    usage: 'sessions get <session>',
    describe: 'One session: its name and its settings',
    load: async () => (await import('./commands/sessions/get.js')).sessionsGetCommand,
  },
  {
    usage: 'sessions create',
    describe: 'Create a session; its id is printed',
    load: async () => (await import('./commands/sessions/create.js')).sessionsCreateCommand,
  },
  {
    usage: 'sessions modify <session>',
    describe: 'Change a session; the service wants its name every time',
    load: async () => (await import('./commands/sessions/modify.js')).sessionsModifyCommand,
  },
  {
    usage: 'sessions delete <session>',
    describe: 'Delete a session and its history for good; prune deletes only what is archived',
    load: async () => (await import('./commands/sessions/delete.js')).sessionsDeleteCommand,
  },
  {
    usage: 'sessions history <session>',
    describe: 'The questions and answers of a session, as the service has them now',
    load: async () => (await import('./commands/sessions/history.js')).sessionsHistoryCommand,
  },
  {
    usage: 'datasets list',
    describe: 'The datasets of the project',
    load: async () => (await import('./commands/datasets/list.js')).datasetsListCommand,
  },
  {
    usage: 'datasets overview <dataset>',
    describe: 'What a dataset is about: summary, keywords, questions to begin with',
    load: async () => (await import('./commands/datasets/overview.js')).datasetsOverviewCommand,
  },
  {
    usage: 'datasets create',
    describe: 'Create a dataset; its id is printed',
    load: async () => (await import('./commands/datasets/create.js')).datasetsCreateCommand,
  },
  {
    usage: 'datasets modify <dataset>',
    describe: 'Give a dataset another name, another description, or both',
    load: async () => (await import('./commands/datasets/modify.js')).datasetsModifyCommand,
  },
  {
    usage: 'datasets delete <dataset>',
    describe: 'Delete a dataset and all its data sources for good',
    load: async () => (await import('./commands/datasets/delete.js')).datasetsDeleteCommand,
  },
  {
    usage: 'datasets status <dataset>',
    describe: 'How many data sources are synched, synching and invalid',
    load: async () => (await import('./commands/datasets/status.js')).datasetsStatusCommand,
  },
  {
    usage: 'enqueue',
    describe: 'Put users into the queue, for workers to export',
    load: async () => (await import('./commands/enqueue.js')).enqueueCommand,
  },
  {
    usage: 'worker',
    describe: 'Export users from the queue, beside any number of other workers',
    load: async () => (await import('./commands/worker.js')).workerCommand,
  },
  {
    usage: 'init',
    describe: 'Write a commented configuration file, with a schema for editors',
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    usage: 'doctor',
    describe: 'Look at what an export needs, with one request, and say how to mend what is wrong',
    load: async () => (await import('./commands/doctor.js')).doctorCommand,
  },
  {
    usage: 'config show',
    describe: 'The settings that count, and where each was said; secrets are masked',
    load: async () => (await import('./commands/config/show.js')).configShowCommand,
  },
  {
    usage: 'completion <shell>',
    describe: 'Print a script that lets a shell complete commands, flags and values',
    load: async () => (await import('./commands/completion.js')).completionCommand,
  },
  {
    usage: 'serve',
    describe: 'Run the emulator of the service, with its own data',
    load: async () => (await import('./commands/serve.js')).serveCommand,
  },
  {
    usage: 'demo',
    describe:
      'See it work: start the emulator, archive its users, verify the archive, show it as a page',
    load: async () => (await import('./commands/demo.js')).demoCommand,
  },
];

export const COMMAND_FAMILIES: readonly CommandFamily[] = [
  { word: 'config', describe: 'What the settings are: show' },
  {
    word: 'hold',
    describe: 'What must stay in the archive and on the service: add, release, list',
  },
  { word: 'sessions', describe: "A user's sessions on the service: list, get, create, modify, …" },
  { word: 'datasets', describe: "The project's datasets: list, overview, create, modify, …" },
];
