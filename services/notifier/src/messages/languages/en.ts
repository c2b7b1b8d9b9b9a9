/** English. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const en: Language = {
  tag: 'en',
  direction: 'ltr',
  titled: (headline, title) => `${headline}: ${title}`,
  incidentStatuses: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  impacts: { minor: 'Minor', major: 'Major', critical: 'Critical' },
  maintenanceStatuses: {
    scheduled: 'Scheduled',
    in_progress: 'In progress',
    verifying: 'Verifying',
    completed: 'Completed',
    cancelled: 'Cancelled',
  },
  maintenanceNews: {
    cancelled: 'Maintenance cancelled',
    rescheduled: 'Maintenance rescheduled',
  },
  componentStatuses: {
    operational: 'Operational',
    degraded_performance: 'Degraded performance',
    partial_outage: 'Partial outage',
    major_outage: 'Major outage',
    under_maintenance: 'Under maintenance',
  },
  headlines: {
    'incident.reopened': 'Reopened',
    'maintenance.scheduled': 'Maintenance scheduled',
    'maintenance.started': 'Maintenance started',
    'maintenance.completed': 'Maintenance completed',
    'maintenance.reminder': 'Maintenance begins soon',
    'monitor.down': 'Down',
    'monitor.degraded': 'Degraded',
    'monitor.recovered': 'Recovered',
    'oncall.escalated': 'Escalated',
    'oncall.acknowledged': 'Acknowledged',
    'oncall.resolved': 'Resolved',
    'channel.test': 'Test',
  },
  facts: {
    status: 'Status',
    impact: 'Impact',
    affected: 'Affected',
    started: 'Started',
    resolved: 'Resolved',
    lasted: 'Lasted',
    posted: 'Posted',
    from: 'From',
    until: 'Until',
    completed: 'Completed',
    cancelled: 'Cancelled',
    since: 'Since',
    severity: 'Severity',
    schedule: 'Schedule',
    told: 'Told',
    acknowledged: 'Acknowledged',
  },
  maintenanceUpdated: 'Maintenance updated',
  flapping: 'It keeps changing: you will hear again once it is stable.',
  severities: { critical: 'CRITICAL', warning: 'WARNING' },
  view: {
    incident: 'View the incident',
    maintenance: 'View the maintenance',
    monitor: 'View the status page',
    alert: 'View the incident',
  },
  coveredUpdates: (count) => `This includes ${count} earlier update${count === 1 ? '' : 's'}.`,
  several: (count) => `${count} changes`,
  andMore: (count) => `and ${count} more`,
  lasted(minutes) {
    if (minutes < 1) return 'less than a minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (organizationName) => `You get this because you subscribed to ${organizationName}.`,
  channelOf: (channelName, organizationName) =>
    `Sent by the notification channel “${channelName}” of ${organizationName}.`,
  manage: 'Manage or unsubscribe',
  confirmation: {
    subject: (pageName) => `Confirm your subscription to ${pageName}`,
    question: (pageName) => `Do you want status notifications of ${pageName}?`,
    validUntil: (time) => `Nothing is sent before you confirm. The link works until ${time}.`,
    action: 'Confirm',
    knownSubject: (pageName) => `Your subscription to ${pageName}`,
    known: (pageName) => `This address gets status notifications of ${pageName} already.`,
    footer: (address, site) =>
      `Somebody, probably you, gave ${address} at ${site}. If it was not you, do nothing.`,
  },
  textHelp: (organizationName) =>
    `${organizationName}: status notifications. Reply STOP to end them, START to get them again.`,
  test: {
    title: (channelName) => `Test of ${channelName}`,
    message: 'This is a test. If you can read it, the channel works.',
    component: 'Example',
  },
}
