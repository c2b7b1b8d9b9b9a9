/** Texts of a page in one language; `{}` is the placeholder of a name, a time or a number. */
import type {
  AlertSeverity,
  AlertStatus,
  ComponentStatus,
  DraftStatus,
  Impact,
  IncidentStatus,
  Indicator,
  LinkAction,
  MaintenanceStatus,
  MetricRange,
  SubscriberEvent,
  SubscriberType,
} from '@status-page/contracts'

export interface ActionTexts {
  alert: string
  draft: string
  severities: Record<AlertSeverity, string>
  schedule: string
  /** `{}` is a member; the texts without a member are for links of channels and API keys. */
  acknowledgedBy: string
  states: Record<Exclude<AlertStatus, 'triggered'> | Exclude<DraftStatus, 'waiting'>, string>
  publishesAt: string
  waits: string
  buttons: Record<LinkAction, string>
  effects: Record<LinkAction, string>
  alreadyDone: string
  withoutComponents: string
  /** Instead of the hint of a subscription link. */
  invalidLinkHint: string
}

export interface PageTexts {
  overall: Record<Indicator, string>
  components: Record<ComponentStatus | 'no_data', string>
  incidents: Record<IncidentStatus, string>
  maintenances: Record<MaintenanceStatus, string>
  impacts: Record<Impact, string>

  skip: string
  asOf: string
  /** Shown when the page is served from a stale cache entry. */
  outdated: string
  ongoing: string
  systems: string
  parts: string
  /** Cause of the outage of a component; `{}` is the name of another one. */
  becauseOf: string
  /** Statement of a vendor about a component: the vendor, then its report. */
  vendorReports: string
  /** Vendor whose page cannot be read, then since when. */
  vendorWithoutData: string
  /** Punctuation between texts that are joined. */
  joins: { colon: string; comma: string; sentence: string }
  legend: string
  uptime: string
  /** Title of the page with the uptime by month. */
  uptimeTitle: string
  since: string
  downtime: string
  /** Text alternatives of the daily bars. */
  noDowntime: string
  daysWithDowntime: string
  metrics: string
  metricRanges: Record<MetricRange, string>
  lowest: string
  highest: string
  planned: string
  ongoingMaintenance: string
  recent: string
  noRecentIncidents: string
  /** Shown below active incidents. */
  noOtherRecentIncidents: string
  history: string
  earlier: string
  later: string
  noIncidentsInMonth: string
  current: string
  affects: string
  /** Number of affected components of a group, then the number of all. */
  affectedOf: string
  started: string
  lasted: string
  nextUpdate: string
  noUpdates: string
  earlierUpdates: string
  /** Start, then end of a maintenance. */
  window: string
  permalink: string

  postmortem: string
  summary: string
  rootCause: string
  impact: string
  resolution: string
  timeline: string

  subscribe: string
  subscribeIntro: string
  /** Link to the subscription to one incident. */
  follow: string
  followIntro: string
  incidentResolved: string
  channels: Record<SubscriberType, string>
  addresses: Record<SubscriberType, string>
  allSystems: string
  selectedSystems: string
  send: string
  asked: Record<SubscriberType, string>
  code: string
  confirm: string
  wrongAddress: string
  wrongCode: string
  noneChosen: string
  bothChosen: string
  noSubscriptions: string
  feeds: string
  calendar: string

  /** Pages of a subscriber; the placeholder is the address. */
  subscription: {
    confirm: string
    willBeNotified: string
    notRequested: string
    confirmed: string
    nowNotified: string
    choose: string
    yours: string
    notified: string
    /** Incident of the subscription. */
    onlyIncident: string
    unreachable: string
    allComponents: string
    withSubcomponents: string
    notifyMe: string
    events: Record<SubscriberEvent, string>
    save: string
    saved: string
    noEvents: string
    unsubscribe: string
    ended: string
    noLongerNotified: string
    dead: string
    invalidLinkIntro: string
    again: string
  }

  /** Page of a link that acts on an on-call alert or an incident draft. */
  actions: ActionTexts

  closed: string
  passwordIntro: string
  password: string
  open: string
  wrongPassword: string
  tooMany: string
  unknown: string
  unknownIntro: string

  support: string
  /** Label of the links to the page in other languages. */
  language: string
  timesIn: string
  theme: string
  localTimes: string
  pageTimes: string
  badge: string
  /** Announced by screen readers after an update of the page. */
  changed: string
}
