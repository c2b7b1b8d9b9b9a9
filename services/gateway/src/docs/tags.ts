/** What each group of operations is about; a test asks for a sentence of every noun. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  auth: 'Open an account, log in, log out, and ask who is asking.',
  password: 'Change a password that is known, or reset one that is forgotten.',
  email: 'Verify the address of an account by a mailed token, which can be sent again.',
  sessions: "One's own logins: where they are, ending them, going on in another organization.",
  'two-factor': 'Time-based codes as a second factor, with backup codes for the lost phone.',
  saml: 'Single sign-on: the identity provider of an organization, and the way in through it.',
  domains: 'Mail domains that the organization has proved to be its own, by a TXT record.',
  organization: 'The organization itself: its name, its policies, its notification limits.',
  members: 'The people of the organization and their roles.',
  invitations: 'Mailed tokens that make somebody a member, once, within seven days.',
  roles: 'Eight built-in roles, and those that the organization makes of single rights.',
  'api-keys': 'Credentials for programs, with permissions of their own; shown once.',
  audit: 'Who changed what, when and from where; append-only, to read and to export.',
  components:
    'What a status is shown for. ENDPOINT ones are checked, METRIC ones polled, SERVICE ones set.',
  incidents: 'What went wrong, for which components, and what people were told about it.',
  postmortems: 'What was learned from an incident; a draft until it is published.',
  'incident-drafts':
    'What alerts propose as incidents: for members alone, until one is published or vetoed.',
  'incident-templates':
    'Incidents written beforehand, with gaps that are filled in when they open.',
  maintenances: 'What will be done when, to which components; started and ended by the clock.',
  subscribers: 'Who wants to be told, of which components and events, by e-mail, SMS or webhook.',
  subscriptions: "A subscriber's own door, opened by the token in each message; no account needed.",
  imports: 'Taking over from another status page, as often as it takes, telling nobody.',
  'status-pages': 'What the world may see, under which name and in which colours.',
  sla: 'What share of time components are to be up, what of it is left, and an account of it.',
  public:
    'Published status data, for whom the page admits. Of a page for everybody it is cacheable and ' +
    'readable from every origin; for others the page is the 404 of an unknown slug.',
  statuspage:
    'The same data in the shape that clients of Statuspage read; also below `/api/v2` of an active ' +
    'custom domain.',
  pages:
    'The pages themselves, for people and for who reads text; on an active custom domain they are at ' +
    'its root.',
  'notification-channels':
    'Ways out of your own: mail, text messages, chats and webhooks, and what goes to them.',
  configuration:
    'Components and integrations as one YAML document: judged, applied, compared, taken back.',
  variables: 'What a name in a document stands for; sealed, and never shown again.',
  'git-sync':
    'The document in a Git repository: applied when it changes there, offered changes made here.',
  hooks: 'What providers report back; each report is proved by a signature or a secret.',
  deliveries: 'The log of notifications: who was told what, when, and why not yet.',
  integrations: 'Metrics platforms that may be asked, with credentials that are never shown again.',
  'metric-queries': 'Figures that a platform is asked for again and again, and what came of them.',
  'alert-intakes': 'Alerts of Alertmanager and Grafana: by which token, about which components.',
  'oncall-schedules': 'Who is on duty when: layers of turns, exceptions to them, and what follows.',
  'oncall-alerts': 'What wakes people, whom it has reached, and taking it on.',
}
