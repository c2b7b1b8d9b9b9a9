/** Accounts and sessions. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Email, Id, Nullable, OneLine, Success } from '../scalars.ts'

/** Only an upper bound on size: whether it is right says nothing about its form. */
export const EnteredPassword = Type.String({ minLength: 1, maxLength: 1024, writeOnly: true })

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
  user: Nullable(Type.Object({ ...User.properties, emailVerified: Type.Boolean() })),
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
    description:
      'The person becomes OWNER of a new organization, whose slug is made from its name, ' +
      'and is logged in. The password has 8 characters to 72 bytes, taken byte for byte, is ' +
      'not the own address and, where the operator wants it so, not a common one. 409 ' +
      '`duplicate` for a known address, 403 `registration_closed` where the operator has ' +
      'closed registration, 403 `cross_site` from another site. Emits ' +
      '`organization.created` and `member.added`. A mail asks to verify the address ' +
      '(`POST /auth/email/verify`).',
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
    description:
      "Sets the session's cookie: 12 hours idle, 7 days at most, ten sessions a user. One " +
      '401 for an unknown address, a wrong password or code, and an account that logs in ' +
      'through its identity provider; `TWO_FACTOR_REQUIRED` only behind a right password. ' +
      'Ten failures of an account in 15 minutes close it for a minute, then longer (429). ' +
      'Leads to the oldest organization of the user that takes a password. A session that ' +
      'the browser carried ends. 403 `cross_site` from another site; audited as ' +
      '`auth.login`.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({
      email: Type.String({ maxLength: 254 }),
      password: EnteredPassword,
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
    description:
      'Succeeds without a session too. Clears the cookie, and asks the browser to forget ' +
      'what it has stored of the site. 403 `cross_site` from another site; audited as ' +
      '`auth.logout`.',
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
    description:
      'For a session the user, their organization and what they may do there. ' +
      "`organizations` holds all of the user's, or only its own where an identity provider " +
      'opened the session. For a key `user` is null and `apiKey` names it. `permissions` ' +
      'are those of the role, as `GET /organization/roles` lists them, with the VIEW that ' +
      'any other action implies; for a key its own.',
    permission: 'caller',
    reply: Me,
  }),
}
