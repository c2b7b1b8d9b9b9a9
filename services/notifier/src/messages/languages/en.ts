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
    'sla.at-risk': 'Service level at risk',
    'sla.breached': 'Service level breached',
    'sla.recovered': 'Service level recovered',
    'sla.response-breached': 'Response target missed',
    'sla.resolution-breached': 'Resolution target missed',
    'certificate.expiring': 'Certificate expires soon',
    'incident.update-overdue': 'Update overdue',
    'incident-draft.created': 'Incident draft',
    'incident-draft.publishing': 'Draft will be published automatically',
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
    raised: 'Raised',
    escalates: 'Escalates',
    availability: 'Availability',
    target: 'Target',
    budgetLeft: 'Error budget left',
    due: 'Due',
    expires: 'Expires',
    daysLeft: 'Days left',
    publishes: 'Publishes at',
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
  account: {
    invited: {
      subject: (organizationName) => `Join ${organizationName}`,
      line: (inviter, organizationName) => `${inviter} invites you to ${organizationName}.`,
      administrator: 'An administrator',
      validUntil: (time) => `The invitation is valid until ${time}.`,
      fields: 'a name and a password if you are new',
    },
    reset: {
      subject: 'Set a new password',
      line: 'Somebody, probably you, asked for a new password. If not, ignore this mail.',
      validUntil: (time) => `The token works once, until ${time}.`,
    },
    verify: {
      subject: 'Verify your e-mail address',
      line: 'An account was made with this address. If that was not you, ignore this mail.',
      validUntil: (time) => `The token works once, until ${time}.`,
      fields: 'the cookie of your session',
    },
    warned: {
      subject: (organizationName) => `Security notice from ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Somebody who knows your password has given wrong two-factor codes several times. If that was not you, change your password.',
        emergency_login:
          'An owner has logged in by password and second factor although single sign-on is enforced.',
        organization_deletion_requested:
          'An owner has requested the deletion of this organization. It is deleted after seven days; until then an owner can restore it.',
        organization_deletion_withdrawn:
          'An owner has restored this organization: it is not deleted.',
      },
      seen: (time, place) => `At ${time}, from ${place}.`,
      unknownPlace: 'an unknown address',
    },
    token: 'Token',
    callWith: (fields) => `with the token and ${fields}`,
    footer: (address, site) => `You get this because somebody used ${address} at ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escalated`,
    acknowledgedBy: (name) => `Acknowledged by ${name}`,
    nobody: 'nobody',
    times: (count) => `${count} times`,
    acknowledge: 'To take it on, which stops the escalation:',
    resolve: 'To close it:',
    footer: (organizationName) => `You get this because you are on call for ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      `${count === 1 ? 'A destination gets' : `${count} destinations get`} nothing any more`,
    subscriber: (label) => `Subscriber ${label}`,
    channel: (name) => `Channel ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, since ${time}`,
    reasons: {
      sms_stop: 'replied STOP',
      hard_bounce: 'the mailbox does not exist',
      mailbox_full: 'the mailbox stays full',
      complaint: 'the reader reported a message as spam',
      invalid_number: 'the number cannot get text messages',
      unreachable: 'the phone stays out of reach',
      endpoint_gone: 'the endpoint says that it is gone',
      endpoint_failing: 'the endpoint has failed for five days',
    },
    remedy: (call, body) =>
      `A subscriber comes back by ${call} with ${body}, a channel as soon as it is changed or enabled again.`,
    footer: (organizationName) =>
      `You get this because you look after the subscribers of ${organizationName}.`,
  },
  ownerFooter: (organizationName) =>
    `You get this because you are an owner of ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName}: status notifications. Reply STOP to end them, START to get them again.`,
  test: {
    title: (channelName) => `Test of ${channelName}`,
    message: 'This is a test. If you can read it, the channel works.',
    component: 'Example',
  },
}
