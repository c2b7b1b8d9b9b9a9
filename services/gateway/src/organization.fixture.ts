/**
 * Organizations with members for tests; members are invited by mail and accept, as in production.
 */
import type { Database } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import type { ServiceApp } from '@status-page/service'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import {
  asMember,
  cookieOf,
  encryptionKey,
  password,
  type SignedInMember,
} from './gateway.fixture.ts'

export interface Gateway extends Pick<ServiceApp, 'http'> {
  database: Database
}

type Headers = Record<string, string>

/**
 * Calls an operation such as `GET /organization`; the path is relative to the base path of the API.
 */
export const callApi = (
  { http }: Pick<ServiceApp, 'http'>,
  line: string,
  headers: Headers,
  payload?: object,
): Promise<LightMyRequestResponse> => {
  const [method, path] = line.split(' ')
  const url = `/api/v1${path}`
  return http.inject({ method, url, headers, ...(payload && { payload }) } as InjectOptions)
}

/** Token of the newest mail to the address, opened as the mailing service does. */
export const tokenFor = async (
  { database }: Gateway,
  email: string,
  kind = 'account.invited',
): Promise<string> => {
  const [row] = await database.batchSql`
    SELECT organization_id, aggregate_id, payload->>'sealedToken' AS sealed FROM outbox
    WHERE kind = ${kind} AND payload->>'email' = ${email} ORDER BY seq DESC LIMIT 1`
  return createSealer({ current: encryptionKey }).open(String(row?.sealed), {
    organizationId: String(row?.organization_id),
    purpose: 'mail-token',
    recordId: String(row?.aggregate_id),
  })
}

/** Verifies the member's address with the token mailed at registration. */
export const verifyEmail = async (gateway: Gateway, member: SignedInMember): Promise<void> => {
  const { email } = member.identity.user
  const token = await tokenFor(gateway, email, 'account.verification-requested')
  const verified = await callApi(gateway, 'POST /auth/email/verify', asMember(member), { token })
  if (verified.statusCode !== 200) throw new Error(verified.body)
}

let people = 0

export const newEmail = (): string => {
  people++
  return `person-${people}@example.com`
}

/** Adds a new user with a session to the member's organization. */
export const addMember = async (
  gateway: Gateway,
  member: SignedInMember,
  role: string,
): Promise<SignedInMember> => {
  const email = newEmail()
  const sent = await callApi(gateway, 'POST /organization/invitations', asMember(member), {
    email,
    role,
  })
  if (sent.statusCode !== 201) throw new Error(sent.body)
  const token = await tokenFor(gateway, email)
  const payload = { token, name: `Holder of ${role}`, password }
  const accepted = await callApi(gateway, 'POST /auth/invitations/accept', {}, payload)
  if (accepted.statusCode !== 201) throw new Error(accepted.body)
  return { cookie: cookieOf(accepted), identity: accepted.json() }
}

/** Creates a role in the member's organization; returns its id. */
export const makeRole = async (
  gateway: Gateway,
  member: SignedInMember,
  permissions: readonly string[],
  name = `Role ${permissions.join(' ')}`.slice(0, 50),
): Promise<string> => {
  const created = await callApi(gateway, 'POST /organization/roles', asMember(member), {
    name,
    permissions,
  })
  if (created.statusCode !== 201) throw new Error(created.body)
  return created.json().id
}

/** Audit entries of the organization, without those of logins. */
export const audited = async (
  { database }: Gateway,
  { identity }: SignedInMember,
): Promise<{ action: string; changes: Record<string, unknown> }[]> => {
  const rows = await database.batchSql`
    SELECT payload FROM outbox WHERE kind = 'audit.recorded'
      AND organization_id = ${identity.organization.id} ORDER BY seq`
  return rows.map((row) =>
    typeof row.payload === 'string' ? JSON.parse(row.payload) : row.payload,
  )
}
