/** Examples of accounts, sessions, second factors and single sign-on. */
import {
  accountErasureOperations,
  authOperations,
  domainOperations,
  emailOperations,
  invitationAcceptOperations,
  passwordOperations,
  samlOperations,
  sessionOperations,
  twoFactorOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const PASSWORD = 'correct horse battery'
const TOKEN = 'the-token-of-the-mail'
const CODE = '123456'

const user = {
  id: exampleIds.user,
  email: 'ana@example.com',
  name: 'Ana',
  twoFactorEnabled: false,
}
const membership = { id: exampleIds.organization, name: 'Acme', slug: 'acme', role: 'OWNER' }
const identity = { user, organization: membership }

const auth = examplesOf(authOperations, {
  register: {
    body: { email: user.email, password: PASSWORD, name: 'Ana', organizationName: 'Acme' },
    reply: identity,
  },
  login: {
    bodies: {
      'With the password': { email: user.email, password: PASSWORD },
      'With a second factor': { email: user.email, password: PASSWORD, code: CODE },
    },
    reply: identity,
  },
  logout: successExample,
  me: {
    reply: {
      user: { ...user, emailVerified: true },
      organization: membership,
      organizations: [membership],
      permissions: ['COMPONENTS_VIEW', 'COMPONENTS_CREATE'],
    },
  },
  updateMe: { body: { name: 'Ana' }, ...successExample },
})

const erasure = examplesOf(accountErasureOperations, {
  removeAccount: { body: { password: PASSWORD }, ...successExample },
  exportAccount: {
    reply: {
      account: { id: user.id, email: user.email, name: user.name },
      memberships: [{ organizationId: membership.id, role: membership.role }],
      sessions: [],
      twoFactor: null,
      apiKeys: [],
      auditEntries: [],
    },
  },
})

const passwords = examplesOf(passwordOperations, {
  change: { body: { currentPassword: PASSWORD, newPassword: 'a better horse' }, ...successExample },
  forgot: { body: { email: user.email }, ...successExample },
  reset: { body: { token: TOKEN, newPassword: 'a better horse' }, ...successExample },
})

const emails = examplesOf(emailOperations, {
  verify: { body: { token: TOKEN }, ...successExample },
  requestVerification: successExample,
  sendTest: { reply: { requestedAt: '2026-08-01T09:30:00.000Z' } },
})

const session = {
  id: exampleIds.session,
  isCurrent: true,
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  lastUsedAt: exampleTimes.failed,
  expiresAt: exampleTimes.later,
  ...exampleTimestamps,
}

const sessions = examplesOf(sessionOperations, {
  list: { reply: listReplyOf(session) },
  remove: successExample,
  switchOrganization: { body: { organizationId: exampleIds.organization }, reply: identity },
})

const backupCodes = [
  '7kq2-m9xw',
  'p4rt-88vz',
  'x2hn-6qjc',
  'w9fd-3tyk',
  'c5bg-7rmp',
  'n8vj-2sxh',
  'f3zw-9kqd',
  't6yc-4bnr',
  'h7mp-5gwf',
  'j2xk-8dvt',
]

const twoFactor = examplesOf(twoFactorOperations, {
  check: { body: { email: user.email, password: PASSWORD }, reply: { twoFactorRequired: true } },
  read: { reply: { enabled: true, enabledAt: exampleTimes.founded, backupCodesRemaining: 9 } },
  setUp: {
    body: { password: PASSWORD },
    reply: {
      secret: 'A BASE32 SECRET',
      otpauthUrl: 'otpauth://totp/status.example.com:ana%40example.com?secret=…',
      qrCode: 'data:image/png;base64,…',
      qrCodeSvg: '<svg …>',
      expiresAt: exampleTimes.announced,
    },
  },
  verify: { body: { code: CODE }, reply: { enabled: true, backupCodes } },
  renewBackupCodes: { body: { password: PASSWORD, code: CODE }, reply: { backupCodes } },
  disable: { body: { password: PASSWORD, code: CODE }, ...successExample },
})

const accept = examplesOf(invitationAcceptOperations, {
  accept: {
    bodies: {
      'New user': { token: TOKEN, name: 'Ben', password: PASSWORD },
      'Logged-in user': { token: TOKEN },
      'Former member with a second factor': {
        token: TOKEN,
        name: 'Ben',
        password: PASSWORD,
        code: CODE,
      },
    },
    reply: {
      user: { ...user, id: exampleIds.colleague, email: 'ben@example.com', name: 'Ben' },
      organization: { ...membership, role: 'MEMBER' },
    },
  },
})

const provider = {
  isEnabled: true,
  idpEntityId: 'https://idp.example.com/metadata',
  idpSsoUrl: 'https://idp.example.com/sso',
  certificates: [{ fingerprintSha256: '5f:0c:91:…', notAfter: '2030-01-01T00:00:00.000Z' }],
  defaultRole: 'MEMBER',
  attributeMapping: { email: 'email', name: 'displayName' },
  spEntityId: 'https://status.example.com/api/v1/auth/saml/acme/metadata',
  acsUrl: 'https://status.example.com/api/v1/auth/saml/acme/acs',
}

const saml = examplesOf(samlOperations, {
  read: { reply: provider },
  replace: {
    bodies: {
      'Metadata by URL': { metadataUrl: 'https://idp.example.com/metadata' },
      'Metadata in the body': { metadataXml: '<EntityDescriptor …/>', defaultRole: 'VIEWER' },
    },
    reply: provider,
  },
  remove: successExample,
  detect: {
    body: { email: user.email },
    reply: { sso: true, loginUrl: 'https://status.example.com/api/v1/auth/saml/acme/login' },
  },
  metadata: { reply: '<EntityDescriptor …/>' },
  login: { reply: '' },
  consume: { body: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlIC4uLg==' }, reply: '' },
})

const domain = {
  domain: 'example.com',
  status: 'pending',
  txtName: '_status-page.example.com',
  txtValue: 'status-page-verification=…',
  verifiedAt: null,
  ...exampleTimestamps,
} as const

const domains = examplesOf(domainOperations, {
  list: { reply: listReplyOf(domain) },
  create: { body: { domain: 'example.com' }, reply: domain },
  verify: { reply: { ...domain, status: 'verified', verifiedAt: exampleTimes.failed } },
  remove: successExample,
})

export const accountExamples = [
  ...[auth, erasure, passwords, emails, sessions, twoFactor, accept, saml, domains].flat(),
]
