/** Examples of HTML pages, their event streams, and data in Statuspage's format. */
import {
  accountPageOperations,
  pageLiveOperations,
  pageOperations,
  statuspageOperations,
  statuspagePathOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes } from './values.ts'

const PAGE_URL = 'https://status.example.com/status/acme'
const HTML = '<!doctype html>…'

const pages = examplesOf(pageOperations, {
  show: { reply: HTML },
  history: { reply: HTML },
  uptime: { reply: HTML },
  incident: { reply: HTML },
  maintenance: { reply: HTML },
  subscribePage: { reply: HTML },
  subscribeForm: { body: { type: 'email', email: 'ana@example.com', scope: 'all' }, reply: '' },
  accessPage: { reply: HTML },
  accessForm: { body: { password: 'a-long-enough-password' }, reply: '' },
  widget: { reply: HTML },
  announcement: { reply: '(async()=>{…})()' },
  favicon: { reply: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
  picture: { reply: '\u0089PNG…' },
  llms: { reply: `# Acme: status\n\n- [Present state](${PAGE_URL})\n` },
  sitemap: { reply: '<?xml version="1.0" encoding="UTF-8"?><urlset>…</urlset>' },
  robots: { reply: `User-agent: *\nSitemap: ${PAGE_URL}/sitemap.xml\n` },
})

const statuspagePaths = examplesOf(statuspagePathOperations, {
  statuspageAtom: { reply: '' },
  statuspageRss: { reply: '' },
  statuspageDocument: { reply: '' },
  statuspageList: { reply: '' },
})

const account = examplesOf(accountPageOperations, {
  root: { reply: HTML },
  setup: { reply: HTML },
  submitSetup: {
    body: {
      token: 'u3Jw2m1oVb9rX4tQ7hLz0cYk5sPd8eNf6aGiTjRqWxE',
      organizationName: 'Acme',
      name: 'Ana',
      email: 'ana@example.com',
      password: 'a-long-enough-password',
    },
    reply: '',
  },
  signIn: { reply: HTML },
  submitSignIn: {
    body: { email: 'ana@example.com', password: 'a-long-enough-password', next: '/account' },
    reply: '',
  },
  code: { reply: HTML },
  submitCode: { body: { code: '123456', next: '/account' }, reply: '' },
  signOut: { body: {}, reply: '' },
  register: { reply: HTML },
  submitRegister: {
    body: {
      organizationName: 'Acme',
      name: 'Ana',
      email: 'ana@example.com',
      password: 'a-long-enough-password',
    },
    reply: '',
  },
  invitation: { reply: HTML },
  acceptInvitation: { body: { name: 'Ana', password: 'a-long-enough-password' }, reply: '' },
  forgotPassword: { reply: HTML },
  submitForgotPassword: { body: { email: 'ana@example.com' }, reply: '' },
  resetPassword: { reply: HTML },
  submitResetPassword: { body: { newPassword: 'a-long-enough-password' }, reply: '' },
  confirmEmail: { reply: HTML },
  submitConfirmEmail: { reply: '' },
  resendVerification: { reply: '' },
  sso: { reply: HTML },
  submitSso: { body: { ssoAccount: 'ana@example.com', next: '/account' }, reply: '' },
  newPage: { reply: HTML },
  submitNewPage: {
    body: {
      key: 'Wb5mYt0cQ1nE',
      name: 'Acme',
      slug: 'acme',
      urls: 'https://example.com/health\r\nhttps://api.example.com',
      visibility: 'public',
    },
    reply: '',
  },
  page: { reply: HTML },
  twoFactor: { reply: HTML },
  setUpTwoFactor: { body: { password: 'a-long-enough-password' }, reply: HTML },
  confirmTwoFactor: { body: { code: '123456' }, reply: HTML },
  renewBackupCodes: {
    body: { password: 'a-long-enough-password', code: '123456' },
    reply: HTML,
  },
  disableTwoFactor: { body: { password: 'a-long-enough-password', code: '123456' }, reply: '' },
  alert: { reply: HTML },
  actOnAlert: { body: { action: 'acknowledge' }, reply: '' },
  draft: { reply: HTML },
  actOnDraft: { body: { action: 'publish' }, reply: '' },
  account: { reply: HTML },
})

const EVENTS = 'retry: 3120\n\ndata: mN0x2bQ7s_Ka\n\n:\n\ndata: Zb41kdA-9fUe\n\n'

const live = examplesOf(pageLiveOperations, {
  live: { reply: EVENTS },
  liveIncident: { reply: EVENTS },
  liveMaintenance: { reply: EVENTS },
})

const page = {
  id: exampleIds.page,
  name: 'Acme',
  url: PAGE_URL,
  time_zone: 'UTC',
  updated_at: exampleTimes.announced,
}

const status = { indicator: 'major', description: 'Partial System Outage' } as const

const component = {
  id: exampleIds.component,
  name: 'API',
  status: 'partial_outage' as const,
  position: 1,
  created_at: exampleTimes.founded,
  updated_at: exampleTimes.failed,
  description: null,
  showcase: true,
  start_date: '2026-07-01',
  group_id: null,
  page_id: exampleIds.page,
  group: false,
  only_show_if_degraded: false,
}

const incident = {
  id: exampleIds.incident,
  name: 'API errors',
  status: 'investigating',
  impact: 'major' as const,
  created_at: exampleTimes.announced,
  updated_at: exampleTimes.announced,
  monitoring_at: null,
  resolved_at: null,
  shortlink: `${PAGE_URL}/incidents/${exampleIds.incident}`,
  started_at: exampleTimes.failed,
  page_id: exampleIds.page,
  components: [component],
  incident_updates: [
    {
      id: exampleIds.firstUpdate,
      status: 'investigating',
      body: 'Elevated error rates.',
      incident_id: exampleIds.incident,
      created_at: exampleTimes.announced,
      updated_at: exampleTimes.announced,
      display_at: exampleTimes.announced,
      affected_components: [
        {
          code: exampleIds.component,
          name: 'API',
          old_status: 'operational' as const,
          new_status: 'partial_outage' as const,
        },
      ],
    },
  ],
}

const maintenance = {
  ...incident,
  id: exampleIds.maintenance,
  name: 'DB upgrade',
  status: 'scheduled',
  impact: 'maintenance' as const,
  incident_updates: [],
  shortlink: `${PAGE_URL}/maintenances/${exampleIds.maintenance}`,
  started_at: '2026-08-02T02:00:00.000Z',
  scheduled_for: '2026-08-02T02:00:00.000Z',
  scheduled_until: '2026-08-02T04:00:00.000Z',
}

const incidents = { reply: { page, incidents: [incident] } }
const maintenances = { reply: { page, scheduled_maintenances: [maintenance] } }

const documents = examplesOf(statuspageOperations, {
  summary: {
    reply: {
      page,
      status,
      components: [component],
      incidents: [incident],
      scheduled_maintenances: [maintenance],
    },
  },
  status: { reply: { page, status } },
  components: { reply: { page, components: [component] } },
  incidents,
  unresolved: incidents,
  maintenances,
  upcoming: maintenances,
  active: { reply: { page, scheduled_maintenances: [] } },
})

export const pageExamples = [pages, statuspagePaths, account, live, documents].flat()
