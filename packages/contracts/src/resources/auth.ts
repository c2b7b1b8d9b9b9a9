/** Accounts and sessions. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Email, Id, Nullable, OneLine, Success } from '../scalars.ts'

/** Only an upper bound on size: whether it is right says nothing about its form. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 1024, writeOnly: true })

/** 8 characters to 72 bytes, byte for byte. */
export const NewPassword = Type.String({
  format: 'password',
  minLength: 8,
  maxLength: 72,
  writeOnly: true,
})

const User = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  twoFactorEnabled: Type.Boolean(),
})
const Membership = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  role: Type.String(),
})

export const Identity = Type.Object({ user: User, organization: Membership })
export type Identity = Static<typeof Identity>

export const Me = Type.Object({
  user: Nullable(User),
  organization: Type.Object({
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    role: Nullable(Type.String()),
  }),
  organizations: Type.Array(Membership),
  permissions: Type.Array(Type.String()),
  apiKey: Type.Optional(Type.Object({ id: Id, name: Type.String() })),
})
export type Me = Static<typeof Me>

export const authOperations = {
  register: operation({
    id: 'auth.register',
    service: 'gateway',
    method: 'POST',
    path: '/auth/register',
    status: 201,
    summary: 'Make an account and its organization',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({
      email: Email,
      password: NewPassword,
      name: OneLine(100),
      organizationName: OneLine(100),
    }),
    reply: Identity,
  }),
  login: operation({
    id: 'auth.login',
    service: 'gateway',
    method: 'POST',
    path: '/auth/login',
    status: 200,
    summary: 'Start a session',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({
      email: Type.String({ maxLength: 254 }),
      password: GivenPassword,
      code: Type.Optional(Type.String({ maxLength: 32 })),
    }),
    reply: Identity,
  }),
  logout: operation({
    id: 'auth.logout',
    service: 'gateway',
    method: 'POST',
    path: '/auth/logout',
    status: 200,
    summary: 'End the session, if there is one',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    reply: Success,
  }),
  me: operation({
    id: 'auth.me',
    service: 'gateway',
    method: 'GET',
    path: '/auth/me',
    status: 200,
    summary: 'Who is asking',
    permission: 'caller',
    reply: Me,
  }),
}
