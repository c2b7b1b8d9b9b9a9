/** Documents of the sample data, in the format of an import, with times before and after now. Pure. */
import type { StatuspageDocuments } from '@status-page/contracts'

type Incident = NonNullable<StatuspageDocuments['incidents']>[number]
type Update = NonNullable<NonNullable<Incident['incident_updates']>[number]>
type Status = Update['status']
type ComponentStatus = 'degraded_performance' | 'partial_outage' | 'major_outage'

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES
const HISTORY_DAYS = 90

const components = [
  { id: 'website', name: 'Website', group: true },
  { id: 'home', name: 'Home page', group_id: 'website' },
  { id: 'login', name: 'Login', group_id: 'website' },
  { id: 'api', name: 'API', group: true },
  { id: 'rest', name: 'REST API', group_id: 'api', description: 'Requests of clients and apps' },
  {
    id: 'webhooks',
    name: 'Webhooks',
    group_id: 'api',
    status: 'degraded_performance' as const,
  },
  { id: 'storage', name: 'Storage', group: true },
  { id: 'database', name: 'Database', group_id: 'storage' },
  { id: 'files', name: 'Files', group_id: 'storage', description: 'Uploads and downloads' },
  { id: 'mail', name: 'E-mail', description: 'Confirmations and invoices' },
]

interface SampleIncident {
  id: string
  name: string
  impact: NonNullable<Incident['impact']>
  component: string
  status: ComponentStatus
  /** Minutes before now, and the updates by minutes after that. */
  startedBefore: number
  updates: readonly (readonly [minutes: number, status: Status, message: string])[]
  postmortem?: string
}

const incidents: readonly SampleIncident[] = [
  {
    id: 'webhooks-delayed',
    name: 'Webhooks are delayed',
    impact: 'minor',
    component: 'webhooks',
    status: 'degraded_performance',
    startedBefore: 50,
    updates: [
      [0, 'investigating', 'Webhooks arrive up to ten minutes late. No webhook is lost.'],
      [20, 'identified', 'A queue is full since one of its workers stopped. We start new workers.'],
    ],
  },
  {
    id: 'login-errors',
    name: 'Errors when logging in',
    impact: 'major',
    component: 'login',
    status: 'partial_outage',
    startedBefore: 3 * DAY_MINUTES,
    updates: [
      [0, 'investigating', 'About a third of all logins fail with an error.'],
      [12, 'identified', 'A certificate between two of our services has expired.'],
      [30, 'monitoring', 'The certificate is renewed; logins succeed again.'],
      [42, 'resolved', 'Logins have succeeded for ten minutes.'],
    ],
    postmortem:
      'A certificate expired because its renewal had failed for a week without an alert. All certificates are now checked, and an alert is sent 14 days before they expire.',
  },
  {
    id: 'slow-api',
    name: 'Slow responses of the API',
    impact: 'minor',
    component: 'rest',
    status: 'degraded_performance',
    startedBefore: 11 * DAY_MINUTES,
    updates: [
      [0, 'investigating', 'Responses take two to five seconds.'],
      [55, 'identified', 'A new database query lacks an index.'],
      [115, 'resolved', 'The index exists, and response times are normal.'],
    ],
  },
  {
    id: 'files-unavailable',
    name: 'Files are unavailable',
    impact: 'critical',
    component: 'files',
    status: 'major_outage',
    startedBefore: 27 * DAY_MINUTES,
    updates: [
      [0, 'identified', 'Our storage provider has an outage. Uploads and downloads fail.'],
      [25, 'resolved', 'The provider has repaired its network. No file was lost.'],
    ],
  },
  {
    id: 'mail-delayed',
    name: 'E-mails are delayed',
    impact: 'minor',
    component: 'mail',
    status: 'degraded_performance',
    startedBefore: 58 * DAY_MINUTES,
    updates: [
      [0, 'investigating', 'E-mails arrive up to an hour late.'],
      [5 * HOUR_MINUTES, 'resolved', 'All delayed e-mails have been sent.'],
    ],
  },
]

export const SAMPLE_PAGE_ID = 'page'

export const sampleDocuments = (now: Date): StatuspageDocuments => ({
  page: {
    id: SAMPLE_PAGE_ID,
    name: 'Sample page',
    page_description: 'Sample data, visible to members of your organization',
    viewers_must_be_team_members: true,
    hidden_from_search: true,
  },
  components: components.map((component, position) => ({
    status: 'operational' as const,
    ...component,
    position,
    created_at: before(now, HISTORY_DAYS * DAY_MINUTES),
  })),
  incidents: incidents.map((incident) => incidentOf(incident, now)),
  scheduled_maintenances: [
    maintenanceOf(now, -20 * DAY_MINUTES, 'Update of the database'),
    maintenanceOf(now, 2 * DAY_MINUTES, 'Move of the files to faster disks'),
  ],
  incident_templates: [
    {
      id: 'errors',
      name: 'Sample: errors',
      title: 'Elevated rate of errors',
      body: 'Some requests fail. We are investigating.',
      update_status: 'investigating',
    },
    {
      id: 'provider',
      name: 'Sample: provider',
      title: 'Outage of a provider',
      body: 'One of our providers has an outage. We follow its status and report here.',
      update_status: 'identified',
    },
  ],
})

const incidentOf = (
  { id, name, impact, component, status, startedBefore, updates, postmortem }: SampleIncident,
  now: Date,
): Incident => {
  const at = (minutes: number) => before(now, startedBefore - minutes)
  const last = updates.at(-1)
  const isResolved = last?.[1] === 'resolved'
  return {
    id,
    name,
    impact,
    status: last?.[1] ?? 'investigating',
    created_at: at(0),
    updated_at: at(last?.[0] ?? 0),
    resolved_at: isResolved ? at(last[0]) : null,
    components: [{ id: component }],
    incident_updates: updates.map(([minutes, updateStatus, body]) => ({
      id: `${id}-${minutes}`,
      status: updateStatus,
      body,
      created_at: at(minutes),
      affected_components: [
        { code: component, new_status: updateStatus === 'resolved' ? 'operational' : status },
      ],
    })),
    ...(postmortem === undefined
      ? {}
      : { postmortem_body: postmortem, postmortem_published_at: at(DAY_MINUTES) }),
  }
}

const maintenanceOf = (now: Date, startsIn: number, name: string): Incident => ({
  id: `maintenance-${startsIn}`,
  name,
  status: startsIn < 0 ? 'completed' : 'scheduled',
  impact: 'maintenance',
  created_at: before(now, Math.max(-startsIn, 0) + DAY_MINUTES),
  scheduled_for: before(now, -startsIn),
  scheduled_until: before(now, -startsIn - 2 * HOUR_MINUTES),
  components: [{ id: startsIn < 0 ? 'database' : 'files' }],
  incident_updates: [],
})

const before = (now: Date, minutes: number): string => {
  const minute = Math.floor(now.getTime() / MINUTE_MS)
  return new Date((minute - minutes) * MINUTE_MS).toISOString()
}
