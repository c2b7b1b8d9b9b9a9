/** Runs against a real Prometheus if one is on the PATH. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricAggregation } from '@status-page/contracts'
import { eventually, tcpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { loopbackOutbound, loopbackTls } from '../integrations.fixture.ts'
import { createMetricsClient } from './metrics-client.ts'

const isThere = spawnSync('prometheus', ['--version']).status === 0
const START_MS = 60_000

/** Returns a port that was free a moment ago. */
const freePort = async (t: Test): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>()
  await t.test('a port', async (t) => resolve((await tcpTarget(t)).port))
  return promise
}

const config = (port: number) => `
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: self
    scheme: https
    tls_config: { insecure_skip_verify: true }
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`

const running = async (t: Test) => {
  const port = await freePort(t)
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('cert.pem', loopbackTls.cert)
  await write('key.pem', loopbackTls.key)
  await write('web.yml', 'tls_server_config: { cert_file: cert.pem, key_file: key.pem }')
  await write('prometheus.yml', config(port))
  const server: ChildProcess = spawn(
    'prometheus',
    [
      '--config.file=prometheus.yml',
      '--web.config.file=web.yml',
      `--web.listen-address=127.0.0.1:${port}`,
      '--storage.tsdb.path=data',
    ],
    { cwd: folder, stdio: 'ignore' },
  )
  t.teardown(async () => {
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  const { outbound } = loopbackOutbound(t)
  const metricsClient = createMetricsClient({ outbound })
  const integration = {
    id: 'i1',
    type: 'prometheus' as const,
    config: {
      url: `https://127.0.0.1:${port}/`,
      username: 'ana',
      password: 'secret',
      bearerToken: null,
    },
  }
  return {
    test: () => metricsClient.test(integration),
    ask: async (query: string, aggregation: MetricAggregation = 'last') => {
      const question = { query, aggregation, seconds: 60, nowMs: Date.now() }
      const { value, fault } = await metricsClient.query(integration, question)
      return fault ?? value
    },
  }
}

t.test(
  'values of a real Prometheus are read',
  { skip: isThere ? false : 'prometheus is not on the PATH' },
  async (t) => {
    const { ask, test } = await running(t)
    await eventually(async () => (await test()).fault === null, { timeoutMs: START_MS })
    await eventually(async () => (await ask('up')) === 1, { timeoutMs: START_MS })
    const responses: [query: string, aggregation: MetricAggregation, expected: unknown][] = [
      ['42', 'last', 42],
      ['vector(1.5)', 'last', 1.5],
      ['sum(up{job="self"})', 'last', 1],
      ['vector(2)', 'avg', 2],
      ['vector(2)', 'min', 2],
      ['vector(2)', 'max', 2],
      ['vector(0)', 'sum', 0],
      ['42', 'max', 42],
      ['nobody_has_this', 'last', 'no_data'],
      ['nobody_has_this', 'avg', 'no_data'],
      ['vector(0) / 0', 'last', 'no_data'],
      ['vector(1) / 0', 'last', 'no_data'],
      ['-vector(1) / 0', 'max', 'no_data'],
      ['label_replace(up, "a", "1", "", "") or up', 'last', 'several_series'],
      ['up or vector(1)', 'avg', 'several_series'],
      ['sum(', 'last', 'query_error'],
      ['sum(', 'avg', 'query_error'],
      ['"text"', 'last', 'query_error'],
      ['up[1m]', 'last', 1],
    ]
    for (const [query, aggregation, expected] of responses) {
      t.equal(await ask(query, aggregation), expected, `${aggregation} of ${query}`)
    }
  },
)
