/**
 * Authorization of nats-server, derived from events and registered consumers: each service
 * publishes the subjects that it produces and reads its own durables, nothing else. The gateway
 * also erases messages.
 */
import { type Event, nounOfKind, type ServiceName, services } from '@status-page/contracts'
import { durableConsumersOf } from './event-handler.ts'
import { type NatsNames, natsNames } from './nats-names.ts'

/** Consumer as registered in a service's `outbox_consumer`. */
export interface RegisteredConsumer {
  service: ServiceName
  consumer: string
  kinds: readonly string[]
}

export interface PermissionSource {
  events: readonly Event[]
  consumers: readonly RegisteredConsumer[]
}

/**
 * Service that erases the messages of deleted organizations one by one, which requires reading
 * them. An emptied stream is filled again from Postgres.
 */
const ERASING_SERVICE: ServiceName = 'gateway'

/**
 * Text of the `authorization` block with the users of every installation that shares the server,
 * each named with its prefix. Passwords are variables of the server's environment.
 */
export const natsPermissions = (
  source: PermissionSource,
  prefixes: readonly string[] = [''],
): string => {
  const users = prefixes
    .map(natsNames)
    .flatMap((names) => services.map((service) => userBlock(names, service, source)))
  return `# Generated from events and registered consumers; a test compares it. Do not edit.
authorization {
  users = [
${users.join('\n')}
  ]
}
`
}

const userBlock = (names: NatsNames, service: ServiceName, source: PermissionSource): string =>
  `    {
      user: "${names.user(service)}"
      password: $${names.passwordVariable(service)}
      permissions: {
        publish: { allow: [
${subjects(publishable(names, service, source))}
        ] }
        subscribe: { allow: [
${subjects([`${names.inboxPrefix(service)}.>`])}
        ] }
      }
    }`

const subjects = (all: readonly string[]) =>
  all.map((subject) => `          "${subject}"`).join('\n')

const publishable = (
  { subject, eventStream, probeStream }: NatsNames,
  service: ServiceName,
  { events, consumers }: PermissionSource,
): string[] => [
  ...producedBy(service, events).map(subject),
  subject(`probe.${service}`),
  ...[eventStream, probeStream].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.CREATE.${stream}`,
    `$JS.API.STREAM.UPDATE.${stream}`,
  ]),
  ...(service === ERASING_SERVICE
    ? [`$JS.API.STREAM.MSG.GET.${eventStream}`, `$JS.API.STREAM.MSG.DELETE.${eventStream}`]
    : []),
  ...consumers
    .filter((consumer) => consumer.service === service)
    .flatMap(({ consumer, kinds }) => durableConsumersOf(consumer, kinds))
    .flatMap(({ name, filter }) => [
      `$JS.API.CONSUMER.CREATE.${eventStream}.${name}.${subject(filter)}`,
      `$JS.API.CONSUMER.INFO.${eventStream}.${name}`,
      `$JS.API.CONSUMER.DELETE.${eventStream}.${name}`,
      `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${name}`,
      `$JS.ACK.${eventStream}.${name}.>`,
    ]),
]

/**
 * Subjects that a service may publish: a whole noun with one producer, single kinds of a shared
 * noun.
 */
const producedBy = (service: ServiceName, events: readonly Event[]): string[] => {
  const produced = events.filter(({ producers }) => producers.includes(service))
  const isShared = (noun: string) =>
    events.some(
      ({ kind, producers }) =>
        nounOfKind(kind) === noun && producers.some((producer) => producer !== service),
    )
  const allowed = produced.map(({ kind }) =>
    isShared(nounOfKind(kind)) ? `events.${kind}.*` : `events.${nounOfKind(kind)}.>`,
  )
  return [...new Set(allowed)].sort()
}
