/**
 * Names of one installation in NATS: its streams, subjects, users and inboxes. The prefix begins all
 * of them, so that two installations on one server share none.
 */
import type { ServiceName } from '@status-page/contracts'

/** An upper-case or a further token could make the names of two prefixes meet. */
export const NATS_PREFIX_PATTERN = '^([a-z][a-z0-9_]{0,31})?$'

export const NATS_PREFIX_RULE =
  'at most 32 lower-case letters, digits and underscores, beginning with a letter'

export interface NatsNames {
  /** Stream of all events. */
  eventStream: string
  /** Stream of the round trips that prove JetStream alive. */
  probeStream: string
  /** Subject in NATS of a subject without prefix, as the outbox has it. */
  subject(plain: string): string
  /** Subject without prefix of a message of this installation. */
  plainSubject(subject: string): string
  user(service: ServiceName): string
  /** Every service has its own, so that none reads another's replies. */
  inboxPrefix(service: ServiceName): string
  /** Variable in the environment of nats-server. */
  passwordVariable(service: ServiceName): string
}

/** Throws when the prefix is not one. */
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
