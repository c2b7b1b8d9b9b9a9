/** Descriptions of the tags; a test requires one for the noun of every operation. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  auth: "Registration, login, logout and the caller's identity.",
  password: 'Change of a known password, reset of a forgotten one.',
  email: "Verification of an account's e-mail address by a mailed token.",
  sessions: 'Sessions of the user: list, end, switch to another organization.',
  'two-factor': 'Time-based one-time codes as a second factor, with backup codes.',
  saml: 'Single sign-on: the identity provider of an organization, and login through it.',
  domains: 'Mail domains whose ownership the organization proves by a TXT record.',
  organization: 'Name, policies and notification limits of the organization.',
  members: 'Users of the organization and their roles.',
  invitations: 'Mailed tokens that add a member, valid once and for seven days.',
  roles: 'Eight built-in roles, and custom roles of single rights.',
  'api-keys': 'Credentials for programs, with their own permissions; returned once.',
  audit: 'Log of all changes with actor, time and IP address; append-only, with export.',
  events:
    'Changes of incidents, maintenances, monitors, service levels and alerts, as a list and as a ' +
    'stream without gaps.',
  overview: 'Present state of the organization in one response.',
  components:
    'Parts of a system that have a status. ENDPOINT components are checked, METRIC ' +
    'components are polled, SERVICE components are set manually.',
  locations:
    'Private locations: networks in which agents of the organization make checks, with their agents.',
  agents:
    'Protocol of `statusctl agent`: enrolment, the targets that it checks, and its results. It ' +
    'opens connections to the service only.',
  incidents: 'Problems of components, with the updates that are published about them.',
  postmortems: 'Analysis of a resolved incident; a draft until it is published.',
  'incident-drafts':
    'Incidents proposed by alerts; visible to members only, until one is published or vetoed.',
  'incident-templates': 'Reusable defaults for incidents, with variables in their texts.',
  maintenances: 'Planned work on components; started and completed automatically or manually.',
  'maintenance-templates': 'Reusable defaults for maintenances, with variables in their texts.',
  subscribers:
    'Recipients of notifications by e-mail, SMS or webhook, with the components and events ' +
    'that they selected.',
  subscriptions:
    'Sign-up of subscribers, and access to a subscription by the token in each message; no ' +
    'account needed.',
  imports: 'Import from another status page; can be repeated, and sends no notifications.',
  'sample-data':
    'Page with components and a history for a first look; loaded and removed in one request.',
  'status-pages': 'Published pages: name, components, appearance and access.',
  uploads: 'Images for logos, favicons and icons; decoded and written again, served at fixed URLs.',
  sla: 'Uptime targets of components, with error budgets and reports.',
  public:
    'Data of published pages. For public pages it is cacheable and readable from every ' +
    'origin; for restricted pages, callers without access get the 404 of an unknown page.',
  statuspage:
    "The same data in the format of Statuspage's API; also below `/api/v2` of an active " +
    'custom domain.',
  pages: 'Status pages as HTML and Markdown; at the root of an active custom domain.',
  'account-pages':
    'Pages for people: first set-up, first status page, login, registration, invitations, ' +
    'passwords, second factor. They follow the rules of the JSON operations; forms are accepted ' +
    'from pages of this site only.',
  'notification-channels':
    "The organization's own transports for notifications: mail, SMS, chat and webhooks, with " +
    'filters.',
  configuration:
    'Components and integrations as one YAML document: validate, apply, compare, roll back.',
  variables: 'Values for references in a configuration document; encrypted, and never returned.',
  'git-sync':
    'Configuration document in a Git repository: applied after a push; changes made in the ' +
    'service are proposed to the repository.',
  hooks: 'Webhooks for providers and for pings, each authenticated by a signature or a secret.',
  heartbeats: 'Checks that wait for the pings of a job: their state, and the token of their URL.',
  deliveries: 'Log of notifications: recipient, state and attempts of each.',
  integrations: 'Connections to metrics platforms, with credentials that are never returned.',
  'metric-queries': 'Queries that an integration runs periodically, and their values.',
  'alert-intakes': 'Webhooks for alerts of Alertmanager and Grafana, routed to components.',
  'oncall-schedules': 'Rotations of on-call members, with overrides and escalation steps.',
  'action-links':
    'Pages in mails and text messages that act on an on-call alert or incident draft; no account ' +
    'needed.',
  'oncall-alerts': 'Alerts to on-call members: escalation, acknowledgement and resolution.',
}
