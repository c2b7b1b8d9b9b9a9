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
} from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listReplyOf, success, times, timestamps } from './values.ts'

const acme = {
  id: ids.organization,
  name: 'Acme',
  slug: 'acme',
  require2FA: false,
  ssoEnforced: false,
  allowedEmailDomains: [],
  notificationLimits: defaultNotificationLimits,
  deletion: null,
  ...timestamps,
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
        requestedAt: times.failed,
        requestedBy: ids.user,
        deletesAt: times.later,
      },
    },
  },
  restore: { reply: acme },
})

const exported = examplesOf(organizationExportOperations, {
  export: { reply: '{"kind":"organization","data":{"name":"Acme"}}\n' },
})

const member = {
  userId: ids.colleague,
  email: 'ben@example.com',
  name: 'Ben',
  role: 'MEMBER',
  roleName: 'MEMBER',
  twoFactorEnabled: true,
  lastLoginAt: times.failed,
  ...timestamps,
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
  id: ids.invitation,
  email: 'ben@example.com',
  role: 'MEMBER',
  status: 'pending',
  expiresAt: '2026-07-08T08:00:00.000Z',
  ...timestamps,
}

const invitations = examplesOf(invitationOperations, {
  list: { reply: listReplyOf(invitation) },
  create: { body: { email: 'ben@example.com', role: 'MEMBER' }, reply: invitation },
  remove: success,
})

const role: Role = {
  id: ids.role,
  name: 'Support',
  description: 'Answers the phone',
  permissions: ['COMPONENTS_VIEW', 'INCIDENTS_VIEW', 'INCIDENTS_UPDATE'],
  isBuiltIn: false,
  memberCount: 2,
  ...timestamps,
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
  remove: success,
})

const key = {
  id: ids.key,
  name: 'Deployments',
  key: 'sk_live_****3f9a',
  expiresAt: null,
  lastUsedAt: times.failed,
  createdBy: ids.user,
  disabledAt: null,
  ...timestamps,
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
  remove: success,
})

const audit = examplesOf(auditOperations, {
  list: {
    reply: listReplyOf({
      id: ids.audit,
      organizationId: ids.organization,
      action: 'component.update',
      entityType: 'component',
      entityId: ids.component,
      entityName: 'API',
      actorType: 'api_key' as const,
      userId: null,
      apiKeyId: ids.key,
      changes: { status: { from: 'operational', to: 'partial_outage' } },
      ipAddress: '203.0.113.7',
      userAgent: 'curl/8.14.1',
      requestId: 'deploy-42',
      createdAt: times.failed,
      updatedAt: times.failed,
    }),
  },
})

export const organizationExamples = [
  ...[organization, deletion, exported, members, invitations, roles, apiKeys, audit].flat(),
]
