/** Phrases of messages in English. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const en: MessagePhrases = {
  titled: (headline, title) => `${headline}: ${title}`,
  link: (label, url) => `${label}: ${url}`,
  maintenanceContent: {
    cancelled: 'Maintenance cancelled',
    rescheduled: 'Maintenance rescheduled',
  },
  headlines: {
    'incident.reopened': 'Reopened',
    'maintenance.scheduled': 'Maintenance scheduled',
    'maintenance.started': 'Maintenance started',
    'maintenance.completed': 'Maintenance completed',
    'maintenance.reminder': 'Maintenance starts soon',
    'monitor.down': 'Down',
    'monitor.degraded': 'Degraded',
    'monitor.recovered': 'Recovered',
    'oncall.escalated': 'Escalated',
    'oncall.acknowledged': 'Acknowledged',
    'oncall.resolved': 'Resolved',
    'channel.test': 'Test',
    'sla.at-risk': 'SLA at risk',
    'sla.breached': 'SLA breached',
    'sla.recovered': 'SLA recovered',
    'sla.response-breached': 'Response target missed',
    'sla.resolution-breached': 'Resolution target missed',
    'certificate.expiring': 'Certificate expiring soon',
    'incident.update-overdue': 'Update overdue',
    'incident-draft.created': 'Incident draft created',
    'incident-draft.publishing': 'Draft will be published automatically',
  },
  facts: {
    status: 'Status',
    impact: 'Impact',
    affected: 'Affected',
    started: 'Started',
    resolved: 'Resolved',
    lasted: 'Duration',
    posted: 'Posted',
    from: 'From',
    until: 'Until',
    completed: 'Completed',
    cancelled: 'Cancelled',
    since: 'Since',
    severity: 'Severity',
    schedule: 'On-call schedule',
    notified: 'Notified',
    acknowledged: 'Acknowledged',
    raised: 'Triggered',
    escalates: 'Escalates at',
    availability: 'Availability',
    target: 'Target',
    budgetLeft: 'Error budget remaining',
    due: 'Due',
    expires: 'Expires',
    daysLeft: 'Days left',
    publishes: 'Publishes at',
    page: 'Page',
    reason: 'Reason',
  },
  maintenanceUpdated: 'Maintenance updated',
  flapping: 'The status changes frequently. You will be notified when it is stable.',
  severities: { critical: 'CRITICAL', warning: 'WARNING' },
  view: {
    incident: 'View incident',
    maintenance: 'View maintenance',
    monitor: 'View status page',
    alert: 'View incident',
  },
  respond: 'Respond',
  coveredUpdates: (count) => `Includes ${count} earlier update${count === 1 ? '' : 's'}.`,
  several: (count) => `${count} updates`,
  separator: ', ',
  andMore: (count) => `and ${count} more`,
  lasted(minutes) {
    if (minutes < 1) return 'less than a minute'
    if (minutes < MINUTES_PER_HOUR) return `${minutes} min`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`
  },
  subscribed: (senderName) =>
    `You are receiving this message because you subscribed to ${senderName}.`,
  channelOf: (channelName, organizationName) =>
    `Sent by the notification channel “${channelName}” of ${organizationName}.`,
  manage: 'Manage or unsubscribe',
  confirmation: {
    subject: (pageName) => `Confirm your subscription to ${pageName}`,
    question: (pageName) =>
      `Confirm that you want to receive status notifications for ${pageName}.`,
    validUntil: (time) =>
      `No notifications are sent until you confirm. The link is valid until ${time}.`,
    action: 'Confirm subscription',
    knownSubject: (pageName) => `Your subscription to ${pageName}`,
    known: (pageName) =>
      `This address is already subscribed to status notifications for ${pageName}.`,
    footer: (address, site) =>
      `You are receiving this email because ${address} was entered at ${site}. If this was not you, ignore this email.`,
  },
  account: {
    invited: {
      subject: (organizationName) => `Invitation to join ${organizationName}`,
      line: (inviter, organizationName) =>
        `${inviter} has invited you to join ${organizationName}.`,
      administrator: 'An administrator',
      validUntil: (time) => `This invitation is valid until ${time}.`,
      action: 'Accept invitation',
    },
    reset: {
      subject: 'Reset your password',
      line: 'A password reset was requested for your account. If this was not you, ignore this email.',
      validUntil: (time) => `The link can be used once and is valid until ${time}.`,
      action: 'Choose a new password',
    },
    verify: {
      subject: 'Verify your email address',
      line: 'An account was created with this address. If this was not you, ignore this email.',
      validUntil: (time) => `The link can be used once and is valid until ${time}.`,
      action: 'Confirm address',
    },
    test: {
      subject: (organizationName) => `Test message from ${organizationName}`,
      line: 'Mail from this installation arrives at this address. You requested this message in the dashboard.',
    },
    warned: {
      subject: (organizationName) => `Security notice from ${organizationName}`,
      warnings: {
        two_factor_guessed:
          'Your password was entered correctly, followed by several incorrect two-factor codes. If this was not you, change your password.',
        emergency_login:
          'An owner logged in with a password and a second factor although single sign-on is enforced.',
        organization_deletion_requested:
          'An owner requested the deletion of this organization. It will be deleted in seven days. Until then, an owner can restore it.',
        organization_deletion_withdrawn:
          'An owner restored this organization. It will not be deleted.',
      },
      seen: (time, place) => `Time: ${time}. Source: ${place}.`,
      unknownPlace: 'unknown address',
    },
    footer: (address, site) =>
      `You are receiving this email because ${address} was used at ${site}.`,
  },
  alert: {
    escalated: (severity) => `${severity}, escalated`,
    acknowledgedBy: (name) => `Acknowledged by ${name}`,
    noOne: 'no one',
    times: (count) => `${count} times`,
    footer: (organizationName) =>
      `You are receiving this email because you are on call for ${organizationName}.`,
  },
  ended: {
    subject: (count) =>
      `Notifications to ${count === 1 ? 'a destination' : `${count} destinations`} have stopped`,
    subscriber: (label) => `Subscriber ${label}`,
    channel: (name) => `Channel ${name}`,
    line: (owner, type, reason, time) => `${owner} (${type}): ${reason}, since ${time}`,
    types: { email: 'email' },
    reasons: {
      sms_stop: 'replied STOP',
      hard_bounce: 'the mailbox does not exist',
      mailbox_full: 'the mailbox is full',
      complaint: 'the recipient reported a message as spam',
      invalid_number: 'the number cannot receive text messages',
      unreachable: 'the phone cannot be reached',
      endpoint_gone: 'the endpoint no longer exists',
      endpoint_failing: 'the endpoint has been failing for five days',
    },
    remedy:
      'A subscriber receives notifications again after subscribing again on the status page and confirming the address; after STOP, the person first replies START. A channel works again when an administrator corrects its settings or enables it.',
    footer: (organizationName) =>
      `You are receiving this email because you manage the subscribers of ${organizationName}.`,
  },
  location: {
    headline: 'Private location without contact',
    consequence:
      'No agent of the location has sent a request for 45 seconds. Its checks are not made, and the status of its components stays as it is.',
  },
  vendor: {
    headline: 'Vendor’s status page has no data',
    consequence:
      'The status of components that follow it does not change until the page can be read again.',
    reasons: {
      blocked: 'the address is not public',
      dns_error: 'the host name was not found',
      connect_error: 'the server does not accept connections',
      tls_error: 'the certificate is not valid',
      protocol_error: 'the response is not valid HTTP',
      timeout: 'no response in time',
      too_large: 'the document is larger than 2 MiB',
      too_complex: 'the document is too complex',
      too_many_redirects: 'too many redirects',
      error_response: 'the server responded with an error',
      unknown_format: 'the document has no known format',
      component_not_found: 'the page has no such component',
    },
  },
  ownerFooter: (organizationName) =>
    `You are receiving this email because you are an owner of ${organizationName}.`,
  textHelp: (organizationName) =>
    `${organizationName}: status notifications. Reply STOP to unsubscribe, START to resubscribe.`,
  test: {
    title: (channelName) => `Test notification for ${channelName}`,
    message: 'This is a test notification. The channel is working.',
    component: 'Example',
  },
}
