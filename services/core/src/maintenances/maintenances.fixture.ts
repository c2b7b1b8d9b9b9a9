/** Organizations with components and maintenances, and a controlled clock that runs due work. */
import { componentOperations, maintenanceOperations as on } from '@status-page/contracts'
import { read } from '@status-page/postgres'
import type { CoreKit } from '../core.fixture.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Runs the job until nothing is due. */
export const runClock = async (jobs: CoreKit['jobs']): Promise<void> => {
  const clock = jobs.find(({ name }) => name === 'maintenance-clock')
  if (clock === undefined) throw new Error('core has no clock for maintenances')
  while ((await clock.run(new AbortController().signal)) > 0);
}

/** One organization with shortcuts for frequent requests; times are milliseconds from now. */
export const organizationOn = (kit: CoreKit) => {
  const organization = kit.as()
  const now = () =>
    read(kit.database, organization.organizationId, async (scope) => scope.now.getTime())
  const component = async (name: string, more: object = {}) => {
    const body = { type: 'SERVICE', name, ...more }
    return (await organization.request(componentOperations.create, { body })).body.id as string
  }
  const status = async (id: string) => {
    const { body } = await organization.request(componentOperations.read, { params: { id } })
    return `${body.status} ${body.statusSource}`
  }
  const planned = async (fromMs: number, untilMs: number, more: object = {}) => {
    const start = await now()
    return {
      title: 'DB upgrade',
      scheduledFor: new Date(start + fromMs).toISOString(),
      scheduledUntil: new Date(start + untilMs).toISOString(),
      ...more,
    }
  }
  const schedule = async (fromMs: number, untilMs: number, more: object = {}) => {
    const response = await organization.request(on.create, {
      body: await planned(fromMs, untilMs, more),
    })
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  }
  const reading = async (id: string, query: Record<string, unknown> = {}) =>
    (await organization.request(on.read, { params: { id }, query })).body
  const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
    organization.request(on.update, { params: { id }, body, headers })
  /** Maintenance events and audit entries since the last call, without component events. */
  const emitted = async () => {
    const { events, audit } = await kit.outbox(organization.organizationId)
    return { events: events.filter(({ kind }) => kind.startsWith('maintenance.')), audit }
  }
  const kinds = async () =>
    (await emitted()).events.map(({ kind }) => kind.slice('maintenance.'.length))
  /** Advances the clock and runs due work. */
  const pass = async (ms: number) => {
    kit.clock.advance(ms)
    await runClock(kit.jobs)
  }
  const list = async (query: Record<string, unknown> = {}) =>
    (await organization.request(on.list, { query })).body.data
  return {
    ...organization,
    now,
    component,
    status,
    planned,
    schedule,
    reading,
    patch,
    emitted,
    kinds,
    pass,
    list,
  }
}
