/** Examples of the organization, its members, API keys and audit log. */
import {
  apiKeyOperations,
  auditOperations,
  defaultNotificationLimits,
  type Invitation,
  invitationOperations,
  memberOperations,
  organizationDeletionOperations,
  organizationExportOperations,
  organizationOperations,
  type Role,
  roleOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const acme = {
  id: exampleIds.organization,
  name: 'Acme',
  slug: 'acme',
  require2FA: false,
  ssoEnforced: false,
  allowedEmailDomains: [],
  notificationLimits: defaultNotificationLimits,
  deletion: null,
  ...exampleTimestamps,
}

const organization = examplesOf(organizationOperations, {
  read: { reply: acme },
  update: { body: { require2FA: true }, reply: { ...acme, require2FA: true } },
})

const deletion = examplesOf(organizationDeletionOperations, {
  remove: {
    body: { password: 'correct horse battery' },
    reply: {
      ...acme,
      deletion: {
        requestedAt: exampleTimes.failed,
        requestedBy: exampleIds.user,
        deletesAt: exampleTimes.later,
      },
    },
  },
  restore: { reply: acme },
})

const exported = examplesOf(organizationExportOperations, {
  export: { reply: '{"kind":"organization","data":{"name":"Acme"}}\n' },
})

const member = {
  userId: exampleIds.colleague,
  email: 'ben@example.com',
  name: 'Ben',
  role: 'MEMBER',
  roleName: 'MEMBER',
  twoFactorEnabled: true,
  lastLoginAt: exampleTimes.failed,
  ...exampleTimestamps,
}

const members = examplesOf(memberOperations, {
  list: { reply: listReplyOf(member) },
  update: {
    body: { role: 'INCIDENT_MANAGER' },
    reply: { ...member, role: 'INCIDENT_MANAGER', roleName: 'INCIDENT_MANAGER' },
  },
  remove: { reply: { success: true, disabledApiKeys: 1 } },
})

const invitation: Invitation = {
  id: exampleIds.invitation,
  email: 'ben@example.com',
  role: 'MEMBER',
  status: 'pending',
  expiresAt: '2026-07-08T08:00:00.000Z',
  ...exampleTimestamps,
}

const invitations = examplesOf(invitationOperations, {
  list: { reply: listReplyOf(invitation) },
  create: { body: { email: 'ben@example.com', role: 'MEMBER' }, reply: invitation },
  resend: { reply: invitation },
  remove: successExample,
})

const role: Role = {
  id: exampleIds.role,
  name: 'Support',
  description: 'Answers the phone',
  permissions: ['COMPONENTS_VIEW', 'INCIDENTS_VIEW', 'INCIDENTS_UPDATE'],
  isBuiltIn: false,
  memberCount: 2,
  ...exampleTimestamps,
}

const roles = examplesOf(roleOperations, {
  list: { reply: listReplyOf(role) },
  create: {
    body: { name: role.name, permissions: role.permissions },
    reply: role,
  },
  read: { reply: role },
  update: {
    body: { name: 'First line' },
    reply: { ...role, name: 'First line' },
  },
  remove: successExample,
})

const key = {
  id: exampleIds.key,
  name: 'Deployments',
  key: 'sk_live_****3f9a',
  expiresAt: null,
  lastUsedAt: exampleTimes.failed,
  createdBy: exampleIds.user,
  disabledAt: null,
  ...exampleTimestamps,
}

const apiKeys = examplesOf(apiKeyOperations, {
  list: { reply: listReplyOf({ ...key, permissions: ['components:write'] }) },
  create: {
    bodies: {
      'For deployments': { name: 'Deployments', permissions: ['components:write'] },
      'Read only, with expiry': {
        name: 'Report',
        expiresAt: '2030-01-01T00:00:00Z',
        permissions: ['components:read', 'incidents:read'],
      },
    },
    reply: {
      ...key,
      key: 'sk_live_ and 43 characters, this once',
      permissions: ['components:write'],
      lastUsedAt: null,
    },
  },
  remove: successExample,
})

const audit = examplesOf(auditOperations, {
  list: {
    reply: listReplyOf({
      id: exampleIds.audit,
      organizationId: exampleIds.organization,
      action: 'component.update',
      entityType: 'component',
      entityId: exampleIds.component,
      entityName: 'API',
      actorType: 'api_key' as const,
      userId: null,
      apiKeyId: exampleIds.key,
      changes: { status: { from: 'operational', to: 'partial_outage' } },
      ipAddress: '203.0.113.7',
      userAgent: 'curl/8.14.1',
      requestId: 'deploy-42',
      createdAt: exampleTimes.failed,
      updatedAt: exampleTimes.failed,
    }),
  },
})

export const organizationExamples = [
  ...[organization, deletion, exported, members, invitations, roles, apiKeys, audit].flat(),
]
