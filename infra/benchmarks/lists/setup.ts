/** A core and a monitor with one large organization and others of the same size. */
import { mkdtempSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CALLER_HEADER, type Caller, callerSigner } from '@status-page/service'
import postgres from 'postgres'
import { loadSecrets } from '../../local/secrets.ts'
import { startStack } from '../../local/stack.ts'
import { processAndDescendants, processorMicrosWithEnded } from '../measure/processes.ts'

export interface DataSizes {
  components: number
  incidents: number
  /** Number of further organizations of the same size. */
  organizations: number
}

export const ORGANIZATION = '01900000-0000-7000-8000-000000000001'

export const startBenchmark = async (sizes: DataSizes) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-lists-'))
  const quiet = { disposable: true, log: () => {}, natsUrl: null }
  const stack = await startStack({
    dataDir,
    services: ['core', 'monitor'],
    env: { LOG_LEVEL: 'warn' },
    ...quiet,
  })
  const { processes } = stack
  const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
  await insertOrganization(sql, ORGANIZATION, sizes)
  await insertOtherOrganizations(sql, sizes)
  const { privateKey } = loadSecrets(dataDir, true).callerKeys.gateway
  const caller = {
    organizationId: ORGANIZATION,
    actor: { type: 'api_key', userId: null, apiKeyId: ORGANIZATION },
    grants: { kind: 'key', permissions: ['components:read', 'incidents:read'] },
  } as unknown as Caller
  const log = join(stack.logFolder, 'postgres.log')
  const cpuMicrosOf = (pid = 0) => processorMicrosWithEnded(processAndDescendants(pid))
  return {
    sql,
    /** Processor time since their start, in µs. */
    cpuMicros: () => ({
      core: cpuMicrosOf(processes.core.pid),
      monitor: cpuMicrosOf(processes.monitor.pid),
      postgres: cpuMicrosOf(stack.postgres?.pid),
    }),
    async request(path: string): Promise<{ status: number; ms: number; total: number }> {
      const token = callerSigner({ issuer: 'gateway', privateKey }).sign(caller, 'core')
      const before = performance.now()
      const response = await fetch(`${processes.core.origin}${path}`, {
        headers: { [CALLER_HEADER]: token },
      })
      const text = await response.text()
      const ms = performance.now() - before
      const body = JSON.parse(text) as { meta?: { total: number } }
      return { status: response.status, ms, total: body.meta?.total ?? Number.NaN }
    },
    /** Makes Postgres log the plan of each statement from now on. */
    async logPlans() {
      const [{ name } = { name: '' }] = await sql<
        { name: string }[]
      >`SELECT current_database() AS name`
      for (const setting of planSettings)
        await sql.unsafe(`ALTER DATABASE "${name}" SET ${setting}`)
      await processes.core.restart()
      await processes.core.waitReady()
    },
    /** Returns the log that Postgres wrote during `work`. */
    async readLogOf(work: () => Promise<unknown>): Promise<string> {
      const from = statSync(log).size
      await work()
      const file = await open(log)
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
      await file.close()
      return buffer.toString('utf8', 0, bytesRead)
    },
    async close() {
      await sql.end()
      await stack.stop()
    },
  }
}

export type ListsBenchmark = Awaited<ReturnType<typeof startBenchmark>>

const planSettings = [
  "session_preload_libraries = 'auto_explain'",
  'auto_explain.log_min_duration = 0',
  'auto_explain.log_analyze = on',
  'auto_explain.log_timing = off',
]

const insertOtherOrganizations = async (sql: postgres.Sql, sizes: DataSizes): Promise<void> => {
  for (let other = 2; other <= sizes.organizations + 1; other += 1) {
    const id = `01900000-0000-7000-8000-${other.toString(16).padStart(12, '0')}`
    await insertOrganization(sql, id, sizes)
  }
  // Autovacuum would do the same after some time.
  await sql`VACUUM (ANALYZE) core.components, core.component_status_intervals, core.incidents,
    core.incident_components, core.incident_updates, monitor.targets, monitor.target_states,
    monitor.target_verdicts`
}

/**
 * Inserts the rows: one component in ten is a parent, another one has a check; each incident has two
 * components and two updates.
 */
const insertOrganization = async (
  sql: postgres.Sql,
  organizationId: string,
  sizes: DataSizes,
): Promise<void> => {
  const statuses = ['operational', 'degraded_performance', 'partial_outage', 'major_outage']
  await sql.unsafe(componentsSql, [organizationId, sizes.components, statuses] as never)
  await sql.unsafe(targetsSql, [organizationId] as never)
  await sql`
    INSERT INTO core.component_status_intervals (organization_id, component_id, started_at, status,
      source)
    SELECT organization_id, id, created_at, status, 'manual' FROM core.components
    WHERE organization_id = ${organizationId}`
  await sql.unsafe(incidentsSql, [organizationId, sizes.incidents] as never)
  await sql.unsafe(linksSql, [organizationId] as never)
  await sql.unsafe(updatesSql, [organizationId] as never)
}

const componentsSql = `
  WITH numbered AS (
    SELECT n, gen_random_uuid() AS id, now() - n * interval '1 minute' AS at,
      ($3::text[])[1 + (n % 40 = 0)::int + (n % 80 = 0)::int + (n % 160 = 0)::int] AS status
    FROM generate_series(1, $2::int) AS n),
  parents AS (SELECT id, row_number() OVER () AS n FROM numbered WHERE n % 10 = 0)
  INSERT INTO core.components (id, organization_id, type, name, is_enabled, is_muted,
    endpoint, parent_component_id, show_icon_on_status_page, "order", claims, status, status_source,
    status_changed_at, created_at, updated_at)
  SELECT m.id, $1::uuid, CASE WHEN m.n % 10 = 1 THEN 'ENDPOINT' ELSE 'SERVICE' END,
    'Component ' || m.n, true, false, CASE WHEN m.n % 10 = 1 THEN jsonb_build_object('kind', 'http',
      'url', 'https://www.example.com/' || m.n, 'method', 'GET', 'headers', '[]'::jsonb, 'body', null,
      'checkInterval', 60, 'timeout', 2000, 'conditions', '[]'::jsonb, 'failureThreshold', 3,
      'recoveryThreshold', 2) END,
    CASE WHEN m.n % 10 <> 0 AND m.n % 3 = 0 THEN p.id END, true, m.n % 100,
    jsonb_build_array(jsonb_build_object('source', 'manual', 'claimantId', null, 'status', m.status,
      'at', to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
    m.status, 'manual', m.at, m.at, m.at
  FROM numbered m LEFT JOIN parents p ON p.n = 1 + m.n % (SELECT count(*) FROM parents)
  ORDER BY (m.n % 10 <> 0), m.n`

/** Disabled targets, which the monitor does not check. */
const targetsSql = `
  WITH inserted AS (
    INSERT INTO monitor.targets (organization_id, component_id, version, shard, name, is_enabled,
      probe, interval_seconds, timeout_ms, failure_threshold, recovery_threshold)
    SELECT organization_id, id, 1, abs(hashtext(id::text)) % 256, name, false, endpoint::jsonb, 60,
      2000, 3, 2
    FROM core.components WHERE organization_id = $1::uuid AND type = 'ENDPOINT'
    RETURNING organization_id, component_id),
  states AS (
    INSERT INTO monitor.target_states (organization_id, component_id) SELECT * FROM inserted)
  INSERT INTO monitor.target_verdicts (organization_id, component_id) SELECT * FROM inserted`

const incidentsSql = `
  INSERT INTO core.incidents (id, organization_id, version, title, status, impact, message, source,
    is_auto_created, auto_resolved, started_at, resolved_at, reopen_count, created_at, updated_at)
  SELECT gen_random_uuid(), $1::uuid, 1, 'Incident ' || n,
    CASE WHEN n % 500 = 0 THEN 'investigating' ELSE 'resolved' END,
    (ARRAY['minor', 'major', 'critical'])[1 + n % 3], 'Raised error rates.', 'api', false, false,
    at, CASE WHEN n % 500 = 0 THEN NULL ELSE at + interval '30 minutes' END, 0, at, at
  FROM (SELECT n, now() - n * interval '10 minutes' AS at FROM generate_series(1, $2::int) AS n) numbered`

const linksSql = `
  WITH numbered AS (
    SELECT id, name, row_number() OVER (ORDER BY id) AS n
    FROM core.components WHERE organization_id = $1::uuid)
  INSERT INTO core.incident_components (organization_id, incident_id, component_id, position, name,
    status)
  SELECT $1::uuid, i.id, c.id, p.position, c.name, 'operational'
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM core.incidents
    WHERE organization_id = $1::uuid) i
  CROSS JOIN (VALUES (0), (1)) AS p(position)
  CROSS JOIN (SELECT count(*) AS components FROM numbered) total
  JOIN numbered c ON c.n = 1 + (i.n * 7 + p.position * 13) % total.components
  ON CONFLICT DO NOTHING`

const updatesSql = `
  INSERT INTO core.incident_updates (id, organization_id, incident_id, incident_version, status,
    message, component_statuses, by_person, display_at, created_at, updated_at)
  SELECT gen_random_uuid(), $1::uuid, i.id, n, 'investigating', 'We look into it.', '{}', true, i.at,
    i.at, i.at
  FROM (SELECT id, created_at AS at FROM core.incidents WHERE organization_id = $1::uuid) i
  CROSS JOIN generate_series(1, 2) AS n`
