/** Gateway with an adjustable clock, users with a second factor, and their codes. */
import type { Database } from '@status-page/postgres'
import { type ShiftedClock, shiftedClock } from '@status-page/testing'
import { generateSync } from 'otplib'
import type { Test } from 'tap'
import {
  asMember,
  cookieOf,
  type GatewayTestSettings,
  gatewayOver,
  password,
  type SignedInMember,
  testGateway,
} from '../../gateway.fixture.ts'

const STEP_MS = 30_000

export const stage = async (t: Test, settings: GatewayTestSettings = {}) => {
  const clock = shiftedClock()
  const { databases, database, inner } = await testGateway(t)
  const over = async (more: GatewayTestSettings = {}) =>
    gatewayOver(t, await databases.connect('gateway', { clock }), { ...settings, ...more })
  return { clock, database, databases, inner, over, gateway: await over() }
}

type Gateway = Awaited<ReturnType<typeof stage>>['gateway']

export const post = (gateway: Gateway, path: string, payload: object, headers = {}) =>
  gateway.http.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })

export const login = (gateway: Gateway, member: SignedInMember, code?: unknown, ip = '127.0.0.1') =>
  gateway.http.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    remoteAddress: ip,
    payload: {
      email: member.identity.user.email,
      password,
      ...(code === undefined ? {} : { code }),
    },
  })

/** Code of a time step, relative to the step of the clock. */
export const codeAt = (secret: string, clock: ShiftedClock, steps = 0): string =>
  generateSync({
    secret,
    epoch: Math.floor((Date.now() + clock.offsetMs() + steps * STEP_MS) / 1000),
  })

/** Moves the clock to the start of a step, so that a slow machine stays within it. */
export const settle = (clock: ShiftedClock) => {
  const intoStep = (Date.now() + clock.offsetMs()) % STEP_MS
  clock.advance(STEP_MS - intoStep + 1_000)
}

export const wrongFor = (right: string): string =>
  String((Number(right) + 1) % 1_000_000).padStart(6, '0')

export const enrol = async (gateway: Gateway, clock: ShiftedClock, member: SignedInMember) => {
  const setUp = await post(gateway, '/auth/2fa/setup', { password }, asMember(member))
  if (setUp.statusCode !== 200) throw new Error(setUp.body)
  const { secret } = setUp.json()
  const code = codeAt(secret, clock)
  const verified = await post(gateway, '/auth/2fa/verify', { code }, asMember(member))
  if (verified.statusCode !== 200) throw new Error(verified.body)
  const { backupCodes } = verified.json() as { backupCodes: string[] }
  settle(clock)
  return { secret, backupCodes, member: { ...member, cookie: cookieOf(verified) } }
}

/** Kinds of events and actions of audit entries, in the order of the outbox. */
export const outbox = async ({ batchSql }: Database): Promise<string[]> => {
  const rows = await batchSql`SELECT kind, payload->>'action' AS action FROM outbox ORDER BY seq`
  return rows.map(({ kind, action }) => action ?? kind)
}
