/** A real Prometheus scrapes the metrics file of a run, loads the shipped rules, and an alert fires. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createPort, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { prometheus } from '../services/programs.js';
import { metricsIn } from '../support/base/metrics-folder.js';
import { CliRig } from '../support/rigs/cli-rig.js';

const RULES = fileURLToPath(new URL('../../config/deploy/alerts.yml', import.meta.url));

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function freePort(): Promise<number> {
  const server = createPort().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it.skipIf(prometheus === undefined)(
  'Prometheus raises the alert on gaps, naming the archive, until somebody has accepted them',
  async () => {
    await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 9, gaps: true });
    const metrics = rig.directory;
    const usersFile = join(rig.directory, 'users.txt');
    await writeFile(usersFile, rig.state.userIds().join('\n'));
    const words = ['--users-file', usersFile, '--metrics-dir', metrics];
    await rig.export({ words, exitCode: 3 });
    const exporter = createServer((_request, response) => {
      void metricsIn(metrics).then((text) => {
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text);
      });
    }).listen(0, '127.0.0.1');
    await once(exporter, 'listening');
    const { port: target } = exporter.address() as AddressInfo;
    const config = join(rig.directory, 'prometheus.yml');
    await writeFile(
      config,
      JSON.stringify({
        global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
        rule_files: [RULES],
        scrape_configs: [
          { job_name: 'node', static_configs: [{ targets: [`127.0.0.1:${target}`] }] },
        ],
      }),
    );
    const data = join(rig.directory, 'data');
    await mkdir(data);
    const port = await freePort();
    const server = spawn(
      prometheus ?? '',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${data}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const alerts = async (): Promise<Alert[]> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => undefined);
      if (!answer?.ok) return [];
      const { data: found } = (await answer.json()) as { data: { alerts: Alert[] } };
      return found.alerts.filter(({ labels }) => labels['alertname'] === 'JobvaultGaps');
    };
    try {
      await expect.poll(alerts, { timeout: 90_000, interval: 300 }).toEqual([
        expect.objectContaining({
          state: 'firing',
          labels: expect.objectContaining({ command: 'export', archive: rig.out }) as object,
          annotations: expect.objectContaining({
            summary: expect.stringMatching(
              new RegExp(`^Gaps and doubts in ${rig.out} that nobody has accepted: \\d+$`),
            ) as string,
          }) as object,
        }),
      ]);
      const user = rig.state.userIds()[0] ?? '';
      const why = ['--user', user, '--reason', 'lost for good', '--by', 'ana', '--yes'];
      expect((await rig.run(['gap', 'accept', rig.out, ...why])).exitCode).toBe(0);
      await rig.export({ words, exitCode: 0 });
      await expect.poll(alerts, { timeout: 90_000, interval: 300 }).toEqual([]);
    } finally {
      server.kill();
      await once(server, 'close');
      exporter.close();
    }
  },
  240_000,
);
