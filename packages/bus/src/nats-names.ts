/**
 * Names of one installation in NATS: its streams, subjects, users and inboxes. All of them begin
 * with the prefix, so that two installations on one server share none.
 */
import type { ServiceName } from '@status-page/contracts'

/**
 * Pattern of a prefix; upper-case letters or further tokens could make names of two prefixes equal.
 */
export const NATS_PREFIX_PATTERN = '^([a-z][a-z0-9_]{0,31})?$'

export const NATS_PREFIX_RULE =
  'at most 32 lower-case letters, digits and underscores, beginning with a letter'

export interface NatsNames {
  /** Stream of all events. */
  eventStream: string
  /** Stream of the probe's messages. */
  probeStream: string
  /** Subject in NATS for a subject without prefix, as stored in the outbox. */
  subject(plain: string): string
  /** Subject without prefix of a message of this installation. */
  plainSubject(subject: string): string
  user(service: ServiceName): string
  /** Inbox prefix per service, so that no service reads another's replies. */
  inboxPrefix(service: ServiceName): string
  /** Environment variable of nats-server that holds the password. */
  passwordVariable(service: ServiceName): string
}

/** Throws when the prefix does not match the pattern. */
export const natsNames = (prefix = ''): NatsNames => {
  if (!new RegExp(NATS_PREFIX_PATTERN).test(prefix)) {
    throw new Error(`NATS_PREFIX must be ${NATS_PREFIX_RULE}`)
  }
  return {
    eventStream: `${prefix}EVENTS`,
    probeStream: `${prefix}PROBE`,
    subject: (plain) => `${prefix}${plain}`,
    plainSubject: (subject) =>
      subject.startsWith(prefix) ? subject.slice(prefix.length) : subject,
    user: (service) => `${prefix}${service}`,
    inboxPrefix: (service) => `_INBOX_${prefix}${service}`,
    passwordVariable: (service) =>
      `NATS_PASSWORD_${prefix}${service.toUpperCase().replaceAll('-', '_')}`,
  }
}
