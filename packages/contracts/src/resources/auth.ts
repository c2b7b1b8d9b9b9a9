/** Accounts and sessions. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf } from '../patch.ts'
import { Email, Id, Nullable, OneLine, Success } from '../scalars.ts'

/**
 * Password to be compared with the stored one. Only its size is limited, because the rules for new
 * passwords do not apply to it.
 */
export const EnteredPassword = Type.String({ minLength: 1, maxLength: 1024, writeOnly: true })

/** New password: 8 characters to 72 bytes, not normalized. */
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

export const authOperations = operationsOf('gateway', 'auth', {
  register: {
    route: 'POST /auth/register',
    status: 201,
    summary: 'Register an account and its organization',
    description:
      'The user becomes OWNER of a new organization, whose slug derives from its name, and is ' +
      'logged in. The password has 8 characters to 72 bytes, differs from the e-mail address ' +
      'and, depending on the settings of the installation, must not be a common password; it ' +
      'is not normalized. A mail asks the user to verify the address (`POST ' +
      '/auth/email/verify`). 409 `duplicate` for a registered address, 403 ' +
      '`registration_closed` when the operator has closed registration, 403 `cross_site` for a ' +
      'request from another site. Emits `organization.created` and `member.added`.',
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
  },
  login: {
    route: 'POST /auth/login',
    summary: 'Log in',
    description:
      'Sets the session cookie: it expires after 12 hours without requests and after 7 days at ' +
      'most; a user has at most ten sessions. The same 401 for an unknown address, a wrong ' +
      'password or code, and an account that logs in through its identity provider; ' +
      '`TWO_FACTOR_REQUIRED` only when the password is right. Ten failed attempts for an ' +
      'account in 15 minutes lock it for one minute, further ones for longer (429). The ' +
      "session belongs to the user's oldest organization that allows passwords. A previous " +
      'session of the browser ends. 403 `cross_site` for a request from another site. Audited ' +
      'as `auth.login`.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({
      email: Type.String({ maxLength: 254 }),
      password: EnteredPassword,
      code: Type.Optional(Type.String({ maxLength: 32 })),
    }),
    reply: Identity,
  },
  logout: {
    route: 'POST /auth/logout',
    summary: 'Log out',
    description:
      'Ends the session, if there is one, clears its cookie and requests that the browser ' +
      'delete its stored data of the site. 403 `cross_site` for a request from another site. ' +
      'Audited as `auth.logout`.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    reply: Success,
  },
  me: {
    route: 'GET /auth/me',
    summary: "Read the caller's identity",
    description:
      'For a session: the user, their organization and their permissions. `organizations` ' +
      'lists all organizations of the user, or only the current one when an identity provider ' +
      'opened the session. For an API key, `user` is null and `apiKey` describes the key. ' +
      '`permissions` are the rights of the role as in `GET /organization/roles`, including the ' +
      'VIEW rights that other rights imply, or the permissions of the key.',
    permission: 'caller',
    reply: Me,
  },
  updateMe: {
    route: 'PATCH /auth/me',
    summary: "Update the user's account",
    description:
      'Changes the name in all organizations of the user. 403 for API keys. Emits ' +
      '`member.updated` in each organization. Audited as `auth.account_update`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: patchSchemaOf({ name: OneLine(100) }, ['name']),
    reply: Success,
  },
})
