/** Organization with members and schedules, scripted monitor events, and control of the clock. */
import {
  type Body,
  channelCreated,
  channelDeleted,
  componentOperations,
  type DerivedStatus,
  draftEvent,
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

const eventData = ({ membershipId: _id, ...member }: OncallPerson) => ({ member })

export const memberJoined = (member: OncallPerson) =>
  draftEvent(memberAdded, { id: member.membershipId, version: 1 }, eventData(member))
export const memberLeft = (member: OncallPerson) =>
  draftEvent(memberRemoved, { id: member.membershipId, version: 2 }, eventData(member))

const channel = (id: string) => ({ channel: { id, name: 'Ops', type: 'slack' as const } })

export const channelAdded = (id: string) =>
  draftEvent(channelCreated, { id, version: 1 }, channel(id))
export const channelRemoved = (id: string) =>
  draftEvent(channelDeleted, { id, version: 2 }, channel(id))

type NewSchedule = Body<typeof on.create>

/** Creates an organization with the members Ana and Bob, and helpers for its requests. */
export const oncallScenario = async (kit: CoreKit) => {
  const client = kit.as()
  const { organizationId } = client
  const [ana, bob] = [person('Ana'), person('Bob')]
  const publishMemberEvents = (...events: Parameters<typeof kit.publishAndHandle>[2][]) =>
    kit.publishAndHandle('gateway', organizationId, ...events)
  await publishMemberEvents(memberJoined(ana), memberJoined(bob))

  const schedule = async (more: Partial<NewSchedule> = {}) => {
    const body = { name: 'Primary', layers: [{ userIds: [ana.userId] }], ...more }
    const response = await client.request(on.create, { body })
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  }
  const component = async (name: string, more: object = {}) => {
    const body = { type: 'ENDPOINT', url: CHECK_URL, name, ...more }
    return (await client.request(componentOperations.create, { body })).body.id as string
  }
  const versions = new Map<string, number>()
  const monitorEvent = (componentId: string, isDown: boolean) => {
    const version = (versions.get(componentId) ?? 0) + 1
    versions.set(componentId, version)
    const derivedStatus: DerivedStatus = isDown ? 'major_outage' : 'operational'
    const since = new Date(Date.now() + kit.clock.offsetMs()).toISOString()
    const monitor = { componentId, name: 'API', derivedStatus, since, reason: 'HTTP 503' }
    const kind = (isDown ? monitorDown : monitorRecovered) as typeof monitorDown
    return draftEvent(kind, { id: componentId, version }, { monitor })
  }
  const incident = async (body: object) => {
    const response = await client.request(incidentOperations.create, {
      body: { title: 'Slow', ...body },
    })
    await kit.drain()
    return response.body.id as string
  }
  /** Lists alerts, oldest first. */
  const alerts = async (query: object = {}) =>
    (await client.request(oncallAlertOperations.list, { query: { sortOrder: 'asc', ...query } }))
      .body.data
  /**
   * Takes the alert events published since the last call, each as its verb followed by its
   * recipients.
   */
  const takeNotifications = async () => {
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
    const job = kit.jobs.find(({ name }) => name === 'oncall-escalation')
    while (((await job?.run(new AbortController().signal)) ?? 0) > 0);
  }
  return {
    ...client,
    ana,
    bob,
    publishMemberEvents,
    schedule,
    component,
    incident,
    alerts,
    takeNotifications,
    escalate,
    monitorEvent,
    reportDown: (id: string) =>
      kit.publishAndHandle('monitor', organizationId, monitorEvent(id, true)),
    reportRecovered: (id: string) =>
      kit.publishAndHandle('monitor', organizationId, monitorEvent(id, false)),
  }
}
