/** Organizations with members and schedules, monitors that fail, and the time between. */
import {
  type Body,
  channelCreated,
  channelDeleted,
  componentOperations,
  type DerivedStatus,
  emit,
  incidentOperations,
  memberAdded,
  memberRemoved,
  monitorDown,
  monitorRecovered,
  oncallScheduleOperations as on,
  oncallAlertOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import type { CoreKit } from '../core.fixture.ts'

const CHECK_URL = 'https://93.184.215.14/'

export interface OncallPerson {
  membershipId: string
  userId: string
  name: string
  email: string
  role: string
}

export const person = (name: string): OncallPerson => ({
  membershipId: newId(),
  userId: newId(),
  name,
  email: `${name.toLowerCase()}@example.com`,
  role: 'MEMBER',
})

const about = ({ membershipId: _id, ...member }: OncallPerson) => ({ member })

export const joins = (one: OncallPerson) =>
  emit(memberAdded, { id: one.membershipId, version: 1 }, about(one))
export const leaves = (one: OncallPerson) =>
  emit(memberRemoved, { id: one.membershipId, version: 2 }, about(one))

const channel = (id: string) => ({ channel: { id, name: 'Ops', type: 'slack' as const } })

export const channelMade = (id: string) => emit(channelCreated, { id, version: 1 }, channel(id))
export const channelGone = (id: string) => emit(channelDeleted, { id, version: 2 }, channel(id))

type NewSchedule = Body<typeof on.create>

/** One organization with Ana and Bob, and what it is asked most. */
export const oncallOn = async (kit: CoreKit) => {
  const one = kit.as()
  const { organizationId } = one
  const [ana, bob] = [person('Ana'), person('Bob')]
  const stateMembers = (...events: Parameters<typeof kit.tell>[2][]) =>
    kit.tell('gateway', organizationId, ...events)
  await stateMembers(joins(ana), joins(bob))

  const schedule = async (more: Partial<NewSchedule> = {}) => {
    const body = { name: 'Primary', layers: [{ userIds: [ana.userId] }], ...more }
    const answer = await one.ask(on.create, { body })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }
  const component = async (name: string, more: object = {}) => {
    const body = { type: 'ENDPOINT', url: CHECK_URL, name, ...more }
    return (await one.ask(componentOperations.create, { body })).body.id as string
  }
  const versions = new Map<string, number>()
  const fact = (componentId: string, isDown: boolean) => {
    const version = (versions.get(componentId) ?? 0) + 1
    versions.set(componentId, version)
    const derivedStatus: DerivedStatus = isDown ? 'major_outage' : 'operational'
    const since = new Date(Date.now() + kit.clock.offsetMs()).toISOString()
    const monitor = { componentId, name: 'API', derivedStatus, since, reason: 'HTTP 503' }
    const kind = (isDown ? monitorDown : monitorRecovered) as typeof monitorDown
    return emit(kind, { id: componentId, version }, { monitor })
  }
  const incident = async (body: object) => {
    const answer = await one.ask(incidentOperations.create, { body: { title: 'Slow', ...body } })
    await kit.drain()
    return answer.body.id as string
  }
  /** Oldest first. */
  const alerts = async (query: object = {}) =>
    (await one.ask(oncallAlertOperations.list, { query: { sortOrder: 'asc', ...query } })).body.data
  /** What was told of alerts since the last look: the verb, and who hears of it. */
  const told = async () => {
    const { events } = await kit.outbox(organizationId)
    return events
      .filter(({ kind }) => kind.startsWith('oncall.'))
      .map(({ kind, data }) => {
        const { recipients, channelIds } = data.alert
        const names = recipients.map(({ name }: OncallPerson) => name)
        return [kind.slice('oncall.'.length), ...names, ...channelIds].join(' ')
      })
  }
  const escalate = async () => {
    const work = kit.due.find(({ name }) => name === 'oncall-escalation')
    while (((await work?.run(new AbortController().signal)) ?? 0) > 0);
  }
  return {
    ...one,
    ana,
    bob,
    stateMembers,
    schedule,
    component,
    incident,
    alerts,
    told,
    escalate,
    fact,
    goesDown: (id: string) => kit.tell('monitor', organizationId, fact(id, true)),
    recovers: (id: string) => kit.tell('monitor', organizationId, fact(id, false)),
  }
}
