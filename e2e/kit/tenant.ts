/** Setup of a tenant: an account, an API key, a component and subscribers. */
import {
  apiKeyOperations,
  authOperations,
  type Component,
  componentOperations,
  type Identity,
  type Incident,
  type IncidentStatus,
  incidentOperations,
  invitationAcceptOperations,
  invitationOperations,
  type Permission,
  permissions,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Test } from 'tap'
import type { Api, ApiResponse } from './api.ts'
import type { ExpectedMessage } from './delivery-ledger.ts'
import {
  mailsTo,
  type ReceivedMessage,
  type WebhookReceiver,
  webhookReceiver,
} from './receivers.ts'
import type { World } from './world.ts'

export const PASSWORD = 'correct horse battery'
export const SECRET = 'a secret of the receiver'.replaceAll(' ', '-')

export interface Tenant {
  name: string
  email: string
  identity: Identity
  /** Client with the session cookie of the OWNER. */
  session: Api
  /** Client with an API key that has every permission. */
  api: Api
}

export const register = async (api: Api, name: string): Promise<Tenant> => {
  const email = `owner@${name}.test`
  const response = await api.request(authOperations.register, {
    body: { email, password: PASSWORD, name: 'Olga Owner', organizationName: name },
  })
  if (response.status !== 201)
    throw new Error(`Registration responded with ${response.status}: ${response.text}`)
  const session = api.with({ cookie: cookieFrom(response) })
  const identity: Identity = JSON.parse(response.text)
  return { name, email, identity, session, api: await clientWithKey(api, session, permissions) }
}

/** Creates an API key with exactly these permissions and returns its client. */
export const clientWithKey = async (
  api: Api,
  session: Api,
  granted: readonly Permission[],
): Promise<Api> => {
  const { key } = await session.call(apiKeyOperations.create, {
    body: { name: `key with ${granted.length}`, permissions: [...granted] },
  })
  return api.with({ authorization: `Bearer ${key}` })
}

/**
 * Tenant with a component, an e-mail and a webhook subscriber, and the messages that they must
 * receive.
 */
export interface Scenario {
  tenant: Tenant
  component: Component
  hook: WebhookReceiver
  /** Messages that each subscriber must have received by now, and no others. */
  expectedMessages: ExpectedMessage[]
  mails(): ReceivedMessage[]
  open(title: string): Promise<Incident>
  /** Finds an incident by its title, for requests whose response was lost. */
  findIncident(title: string): Promise<Incident | undefined>
  expectMessage(kind: string, incident: Pick<Incident, 'id' | 'version' | 'status'>): void
  move(incident: Incident, status: IncidentStatus): Promise<Incident>
  /**
   * Waits until every subscriber has received all expected messages; `assertDelivered` later
   * detects additional ones.
   */
  allDelivered(timeoutMs?: number): Promise<void>
}

export interface ScenarioOptions {
  name: string
  /** Default: true, an e-mail and a webhook subscriber; false: the webhook subscriber only. */
  mail?: boolean
}

export const createScenario = async (
  t: Test,
  world: World,
  options: ScenarioOptions,
): Promise<Scenario> => {
  const tenant = await register(world.api, options.name)
  const hook = await webhookReceiver(t)
  const reader = `reader@${options.name}.test`
  const readsMail = options.mail ?? true
  const component = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  await tenant.api.call(subscriberOperations.create, {
    body: { type: 'webhook', webhookUrl: hook.url, webhookSecret: SECRET },
  })
  if (readsMail) {
    await tenant.api.call(subscriberOperations.create, { body: { type: 'email', email: reader } })
  }
  await tenant.api.call(statusPageOperations.create, {
    body: { name: options.name, slug: options.name, isPublished: true },
  })
  const expectedMessages: ExpectedMessage[] = []
  const expectMessage: Scenario['expectMessage'] = (kind, { id, version, status }) =>
    void expectedMessages.push({ kind, incidentId: id, version, status })
  const mails = () => mailsTo(world.smtp, reader)
  const distinctCount = (received: ReceivedMessage[]) =>
    new Set(received.map(({ key }) => key)).size
  return {
    tenant,
    component,
    hook,
    expectedMessages,
    expectMessage,
    mails,
    ...incidentsOf(tenant.api, component, expectMessage),
    async allDelivered(timeoutMs = 30_000) {
      const hasAll = (received: ReceivedMessage[]) =>
        distinctCount(received) >= expectedMessages.length
      await eventually(() => hasAll(hook.received()) && (!readsMail || hasAll(mails())), {
        timeoutMs,
      })
    },
  }
}

const incidentsOf = (
  api: Api,
  component: Component,
  expectMessage: Scenario['expectMessage'],
): Pick<Scenario, 'open' | 'findIncident' | 'move'> => ({
  async open(title) {
    const incident = await api.call(incidentOperations.create, {
      body: {
        title,
        message: 'We are investigating.',
        componentStatuses: { [component.id]: 'partial_outage' },
      },
    })
    expectMessage('incident.created', incident)
    return incident
  },
  async findIncident(title) {
    const { data } = await api.call(incidentOperations.list, { query: { search: title } })
    return data.find((incident) => incident.title === title)
  },
  async move(incident, status) {
    const update = await api.call(incidentOperations.addUpdate, {
      params: { id: incident.id },
      body: { status, message: `Now ${status}.` },
    })
    expectMessage(status === 'resolved' ? 'incident.resolved' : 'incident.updated', update.incident)
    return update.incident
  },
})

type InvitedRole = 'ADMIN' | 'MEMBER' | 'VIEWER'

/** Headers of a request that a page of the installation sends. */
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

/** Invites to the organization of the host; returns the token of the link in the mail. */
const invite = async (
  { smtp }: World,
  host: Tenant,
  { email, role }: { email: string; role: InvitedRole },
): Promise<string> => {
  await host.session.call(invitationOperations.create, {
    body: { email, role },
    headers: sameOrigin,
  })
  const invitation = await eventually(
    () =>
      smtp.mails
        .filter(({ to }) => to.includes(email))
        .map(({ raw }) => raw.replaceAll('=\r\n', ''))
        .find((raw) => raw.includes('/invitations/')),
    { timeoutMs: 60_000 },
  )
  return /\/invitations\/([\w-]+)/.exec(invitation)?.[1] ?? ''
}

/** Cookie of the session that the response starts. */
const cookieFrom = ({ headers }: ApiResponse): string =>
  headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''

/**
 * Invites the guest to the organization of the host, and accepts with the link of the mail; returns
 * the guest with the session that this starts in the organization.
 */
export const joinOrganization = async (
  world: World,
  host: Tenant,
  { guest, role }: { guest: Tenant; role: InvitedRole },
): Promise<Pick<Tenant, 'email' | 'session'>> => {
  const token = await invite(world, host, { email: guest.email, role })
  // 200 for an existing account, which is not the status of the operation.
  const response = await guest.session.request(invitationAcceptOperations.accept, {
    body: { token },
    headers: sameOrigin,
  })
  if (response.status !== 200)
    throw new Error(`The acceptance responded with ${response.status}: ${response.text}`)
  return { email: guest.email, session: world.api.with({ cookie: cookieFrom(response) }) }
}

/** Account that a browser can log in with. */
export type LoginAccount = Pick<Tenant, 'email' | 'identity'>

/** Adds a user with a new account to the organization of the host. */
export const addMember = async (
  world: World,
  host: Tenant,
  { name, role }: { name: string; role: InvitedRole },
): Promise<LoginAccount> => {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@${host.name}.test`
  const token = await invite(world, host, { email, role })
  const identity = await world.api.call(invitationAcceptOperations.accept, {
    body: { token, name, password: PASSWORD },
  })
  return { email, identity }
}
