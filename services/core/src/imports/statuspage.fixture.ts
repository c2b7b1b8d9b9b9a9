/** Documents of a Statuspage as its APIs return them, with the fields that the import ignores. */

const PAGE_ID = 'y2j98763l56x'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** One time for all documents, so that the difference of two of their times is exact. */
const NOW_MS = Date.now()

/** Time in the past, as the public API writes it: with the offset of the page's time zone. */
export const ago = (days: number, hours = 0): string =>
  new Date(NOW_MS - days * DAY_MS - hours * HOUR_MS).toISOString()

const SINCE = { created_at: '2023-02-01T09:30:00.000+01:00', updated_at: ago(2) }

interface ComponentFields {
  status?: string
  group_id?: string | null
  showcase?: boolean
  description?: string | null
  start_date?: string | null
  only_show_if_degraded?: boolean
}

export const component = (
  id: string,
  name: string,
  position: number,
  more: ComponentFields = {},
) => ({
  id,
  name,
  status: 'operational',
  ...SINCE,
  position,
  description: null,
  showcase: true,
  start_date: '2023-02-01',
  group_id: null,
  page_id: PAGE_ID,
  group: false,
  only_show_if_degraded: false,
  ...more,
})

export const group = (id: string, name: string, position: number, components: string[]) => ({
  ...component(id, name, position, { showcase: false, start_date: null }),
  group: true,
  components,
})

interface Change {
  code: string
  from: string
  to: string
}

export const update = (
  id: string,
  status: string,
  at: string,
  more: { body?: string; changes?: Change[] } = {},
) => ({
  id,
  status,
  body: more.body ?? '',
  incident_id: 'x',
  created_at: at,
  updated_at: at,
  display_at: at,
  affected_components:
    more.changes?.map(({ code, from, to }) => ({
      code,
      name: code,
      old_status: from,
      new_status: to,
    })) ?? null,
  deliver_notifications: true,
  custom_tweet: null,
  tweet_id: null,
})

export const incident = (
  id: string,
  name: string,
  more: {
    impact: string
    components: string[]
    /** Oldest first; the API lists the newest first. */
    updates: ReturnType<typeof update>[]
  },
) => {
  const { impact, components, updates } = more
  const [first, last] = [updates[0]?.created_at ?? '', updates.at(-1)?.created_at ?? '']
  const resolved = updates.find(({ status }) => status === 'resolved')
  return {
    id,
    name,
    status: updates.at(-1)?.status ?? 'investigating',
    created_at: first,
    updated_at: last,
    monitoring_at: null,
    resolved_at: resolved?.created_at ?? null,
    impact,
    shortlink: `https://stspg.io/${id}`,
    started_at: first,
    page_id: PAGE_ID,
    incident_updates: updates.toReversed(),
    components: components.map((one) => component(one, one, 1)),
    reminder_intervals: null,
  }
}

export const maintenance = (id: string, name: string, components: string[]) => ({
  ...incident(id, name, {
    impact: 'maintenance',
    components,
    updates: [update(`${id}u`, 'scheduled', ago(3), { body: 'Short interruptions.' })],
  }),
  status: 'scheduled',
  scheduled_for: ago(-3),
  scheduled_until: ago(-3, -2),
})

export const page = {
  id: PAGE_ID,
  name: 'Acme Cloud',
  url: 'https://acme-cloud.statuspage.io',
  time_zone: 'Europe/Berlin',
  updated_at: ago(0, 3),
}

/** The fields of the page in the v1 API, which alone has colours. */
export const managedPage = {
  id: PAGE_ID,
  created_at: '2023-02-01T08:30:00Z',
  updated_at: ago(1),
  name: 'Acme Cloud',
  page_description: 'State of <b>all</b> services.',
  headline: null,
  branding: 'basic',
  subdomain: 'acme-cloud',
  domain: 'status.acme.example',
  url: 'https://acme.example',
  support_url: 'mailto:help@acme.example',
  hidden_from_search: true,
  allow_page_subscribers: true,
  allow_incident_subscribers: true,
  allow_email_subscribers: false,
  allow_sms_subscribers: true,
  allow_rss_atom_feeds: true,
  allow_webhook_subscribers: true,
  notifications_from_email: null,
  activity_score: 499,
  viewers_must_be_team_members: false,
  ip_restrictions: null,
  time_zone: 'Eastern Time (US & Canada)',
  css_body_background_color: 'ffffff',
  css_font_color: '333333',
  css_greens: '1e8542',
  css_yellows: 'F1C40F',
  css_oranges: '#b35e14',
  css_blues: '27b',
  css_reds: 'red',
  css_link_color: '207ab6',
  favicon_logo: { updated_at: null, size: null, url: '' },
}

const OUTAGE = 'cp306tmzcl0y'
const LATENCY = 'k7g299zl765l'

/** Templates of the v1 API: of incidents, without a title, and of a maintenance. */
export const templates = [
  {
    id: 'tpl000000001',
    name: 'Slow API',
    title: 'The API is slow',
    body: '<p>We see <strong>{{what}}</strong>.</p>',
    group_id: null,
    update_status: 'identified',
    should_tweet: false,
    should_send_notifications: true,
    components: [component('api000000001', 'Public API', 1)],
  },
  { id: 'tpl000000002', name: 'Slow API', title: '', body: null, update_status: '' },
  { id: 'tpl000000003', name: 'Upgrade', title: 'Upgrade', update_status: 'scheduled' },
]

/** Page with two groups, four components, two resolved incidents and a maintenance. */
export const documents = () => ({
  page,
  components: [
    component('api000000001', 'Public API', 1, {
      group_id: 'grp000000001',
      description: 'REST and GraphQL',
    }),
    component('web000000001', 'Dashboard', 2, { group_id: 'grp000000001', showcase: false }),
    group('grp000000001', 'Platform', 2, ['api000000001', 'web000000001']),
    component('eu0000000001', 'Europe', 1, { group_id: 'grp000000002' }),
    group('grp000000002', 'Regions', 1, ['eu0000000001']),
    component('docs00000001', 'Documentation', 3, { start_date: null, showcase: false }),
  ],
  incidents: [
    incident(LATENCY, 'Slow requests in Europe', {
      impact: 'minor',
      components: ['eu0000000001'],
      updates: [
        update('lat1', 'investigating', ago(4, 6), { body: 'Requests are slow.' }),
        update('lat2', 'resolved', ago(4, 2), { body: 'Fixed.' }),
      ],
    }),
    incident(OUTAGE, 'API is down', {
      impact: 'critical',
      components: ['api000000001', 'eu0000000001'],
      updates: [
        update('out1', 'investigating', ago(10, 6), {
          body: '<p>We see <strong>errors</strong>.</p><ul><li>API</li><li>Webhooks</li></ul>',
          changes: [{ code: 'api000000001', from: 'operational', to: 'major_outage' }],
        }),
        update('out2', 'monitoring', ago(10, 4), {
          body: 'See "the runbook":https://acme.example/runbook.\r\n\r\n**Thanks** for your patience.',
          changes: [
            { code: 'api000000001', from: 'major_outage', to: 'partial_outage' },
            { code: 'eu0000000001', from: 'partial_outage', to: 'operational' },
          ],
        }),
        update('out3', 'resolved', ago(10, 2), {
          changes: [{ code: 'api000000001', from: 'partial_outage', to: 'operational' }],
        }),
      ],
    }),
  ],
  scheduled_maintenances: [maintenance('mnt000000001', 'Database upgrade', ['docs00000001'])],
})

export const ids = { outage: OUTAGE, latency: LATENCY, maintenance: 'mnt000000001' }
