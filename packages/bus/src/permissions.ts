/**
 * The authorization of nats-server, derived from events and registered consumers: each service
 * publishes what it produces and reads its own durables, and nothing else.
 */
import { type Event, nounOf, type ServiceName, services } from '@status-page/contracts'
import { durablesOf } from './reaction.ts'

/** A consumer as registered in a service's `outbox_consumer`. */
export interface RegisteredConsumer {
  service: ServiceName
  consumer: string
  kinds: readonly string[]
}

export interface PermissionSource {
  events: readonly Event[]
  consumers: readonly RegisteredConsumer[]
}

/** Core NATS subjects without data: losing one costs a poll. */
export const DOORBELLS = ['wake.deliver', 'ctl.cache.*'] as const

/** Removes the messages of deleted organizations; an emptied stream is filled again from Postgres. */
const PURGING_SERVICE: ServiceName = 'gateway'

/** Every service has its own, so that none reads another's replies. */
export const inboxPrefixOf = (service: ServiceName): string => `_INBOX_${service}`

/** Text of `authorization`; passwords are variables of the server's environment. */
export const natsPermissions = (source: PermissionSource): string => {
  const users = services.map((service) => userBlock(service, source))
  return `# Generated from events and registered consumers; a test compares it. Do not edit.
authorization {
  users = [
${users.join('\n')}
  ]
}
`
}

const userBlock = (service: ServiceName, source: PermissionSource): string => {
  const variable = `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`
  return `    {
      user: "${service}"
      password: $${variable}
      permissions: {
        publish: { allow: [
${subjects(publishable(service, source))}
        ] }
        subscribe: { allow: [
${subjects([`${inboxPrefixOf(service)}.>`, ...DOORBELLS])}
        ] }
      }
    }`
}

const subjects = (all: readonly string[]) => all.map((one) => `          "${one}"`).join('\n')

const publishable = (service: ServiceName, { events, consumers }: PermissionSource): string[] => [
  ...producedBy(service, events),
  ...DOORBELLS,
  `probe.${service}`,
  ...['EVENTS', 'PROBE'].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.CREATE.${stream}`,
  ]),
  ...(service === PURGING_SERVICE ? ['$JS.API.STREAM.PURGE.EVENTS'] : []),
  ...consumers
    .filter((consumer) => consumer.service === service)
    .flatMap(({ consumer, kinds }) => durablesOf(consumer, kinds))
    .flatMap(({ name, filter }) => [
      `$JS.API.CONSUMER.CREATE.EVENTS.${name}.${filter}`,
      `$JS.API.CONSUMER.INFO.EVENTS.${name}`,
      `$JS.API.CONSUMER.DELETE.EVENTS.${name}`,
      `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}`,
      `$JS.ACK.EVENTS.${name}.>`,
    ]),
]

/** A noun with one producer as a whole, by kind where it has two. */
const producedBy = (service: ServiceName, events: readonly Event[]): string[] => {
  const own = events.filter(({ producers }) => producers.includes(service))
  const isShared = (noun: string) =>
    events.some(
      ({ kind, producers }) =>
        nounOf(kind) === noun && producers.some((producer) => producer !== service),
    )
  const allowed = own.map(({ kind }) =>
    isShared(nounOf(kind)) ? `events.${kind}.*` : `events.${nounOf(kind)}.>`,
  )
  return [...new Set(allowed)].sort()
}
