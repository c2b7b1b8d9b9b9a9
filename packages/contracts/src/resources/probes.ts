/**
 * Kinds of checks of ENDPOINT components, and their settings; the field `kind` or the scheme of
 * `url` selects the kind. A field has the same meaning in every kind that has it.
 */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Condition, type ConditionType } from '../conditions.ts'
import { Nullable, OneOf, TimeZone } from '../scalars.ts'

export const checkMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const MAX_CONDITIONS = 20
const MAX_CHECK_BODY = 64 * 1024
const MAX_SENT_TEXT = 1024

/** Request header of a check; the value of a credential header is encrypted. */
export const CheckHeader = Type.Object({
  name: Type.String(),
  /**
   * Plain value; null when `sealedValue` is set (purpose `component-header`, record `{component
   * id}:{lower-case name}`).
   */
  value: Nullable(Type.String()),
  sealedValue: Nullable(Type.String()),
})

/** Group of ports to which a check may connect; `packages/outbound` has the rule of each. */
export type PortGroup = 'web' | 'connection' | 'dns' | 'none'

export interface ProbeContract {
  /**
   * Schemes of the `url` of such a check, each with its default port: null where a URL must have a
   * port, 0 where it has none. Empty for a kind that waits for a push.
   */
  schemes: Readonly<Record<string, number | null>>
  /** Ports that a `url` may have. */
  ports: PortGroup
  /** Form of the URLs, for the documentation and for error messages; empty without a `url`. */
  form: string
  /** Problem of a URL of the kind besides its host and port, after the name `url`. */
  urlProblem?(url: URL): string | null
  /** Types of the conditions that a check of the kind evaluates. */
  conditionTypes: readonly ConditionType[]
  /** Fields of a request besides `url`; each one is nullable or has a default. */
  optional: TProperties
  /** Fields as core stores them and sends them to the monitor. */
  settings: TProperties
  /** Fields whose replies differ from the stored settings. */
  reply: TProperties
  /** Fields of every check that the kind does not have. */
  without?: readonly string[]
  /** Maximum duration of a check, also where `timeout` is longer. */
  maxTimeoutMs?: number
}

const ConditionList = Type.Array(Condition, { maxItems: MAX_CONDITIONS, default: [] })

const http = {
  schemes: { http: 80, https: 443 },
  ports: 'web',
  form: 'https://example.com/path',
  conditionTypes: [
    'STATUS_CODE',
    'RESPONSE_TIME',
    'JSON_PATH',
    'HEADER',
    'BODY_CONTAINS',
    'CERTIFICATE_DAYS',
  ],
  optional: {
    method: OneOf(checkMethods, { default: 'GET' }),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      maxProperties: 50,
      description:
        'Values of credential headers are stored encrypted and returned as ***REDACTED***',
    }),
    body: Nullable(Type.String({ maxLength: MAX_CHECK_BODY })),
    conditions: ConditionList,
  },
  settings: {
    url: Type.String(),
    method: OneOf(checkMethods),
    headers: Type.Array(CheckHeader),
    body: Nullable(Type.String()),
    conditions: Type.Array(Condition),
  },
  reply: { headers: Type.Record(Type.String(), Type.String()) },
} as const satisfies ProbeContract

/** Problem of a URL that names more than a host and a port. */
const beyondHostProblem = ({ pathname, search, hash }: URL): string | null =>
  /^\/?$/.test(pathname) && search === '' && hash === ''
    ? null
    : 'must not have a path, a query or a fragment'

/** Connects, and sends and receives a text when the check needs it. */
const tcp = {
  schemes: { tcp: null },
  ports: 'connection',
  form: 'tcp://host:port',
  urlProblem: beyondHostProblem,
  conditionTypes: ['RESPONSE_TIME', 'BANNER'],
  optional: {
    send: {
      ...Nullable(Type.String({ minLength: 1, maxLength: MAX_SENT_TEXT })),
      description: 'Text to send after the connection of a `tcp` check; its reply is the banner',
    },
    conditions: ConditionList,
  },
  settings: {
    url: Type.String(),
    send: Nullable(Type.String()),
    conditions: Type.Array(Condition),
  },
  reply: {},
} as const satisfies ProbeContract

/** Handshake with a valid certificate. */
const tls = {
  schemes: { tls: null },
  ports: 'connection',
  form: 'tls://host:port',
  urlProblem: beyondHostProblem,
  conditionTypes: ['RESPONSE_TIME', 'CERTIFICATE_DAYS'],
  optional: { conditions: ConditionList },
  settings: { url: Type.String(), conditions: Type.Array(Condition) },
  reply: {},
} as const satisfies ProbeContract

/** Types of the records that a DNS check can query. */
export const dnsRecordTypes = [
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'MX',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TXT',
] as const
export type DnsRecordType = (typeof dnsRecordTypes)[number]

const hostName = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63})*$/

/** Name and type of the records in a `dns` URL; the problem of another one. */
export const dnsQuestionOf = (
  url: URL,
): { name: string; type: DnsRecordType } | { problem: string } => {
  const name = url.pathname.slice(1).replace(/\.$/, '')
  if (!hostName.test(name)) return { problem: 'must have the name to query as its path' }
  const { type = 'A', ...others } = Object.fromEntries(url.searchParams)
  const known = dnsRecordTypes.find((one) => one === type.toUpperCase())
  const isPlain = Object.keys(others).length === 0 && url.hash === ''
  if (known === undefined || !isPlain) {
    return { problem: `must have no query but type, one of ${dnsRecordTypes.join(', ')}` }
  }
  return { name: name.toLowerCase(), type: known }
}

/** Queries a DNS server for the records of a name. */
const dns = {
  schemes: { dns: 53 },
  ports: 'dns',
  form: 'dns://resolver/name?type=A',
  urlProblem: (url) => {
    const question = dnsQuestionOf(url)
    return 'problem' in question ? question.problem : null
  },
  conditionTypes: ['DNS_RECORD', 'RESPONSE_TIME'],
  optional: { conditions: ConditionList },
  settings: { url: Type.String(), conditions: Type.Array(Condition) },
  reply: {},
} as const satisfies ProbeContract

/**
 * Sends an ICMP echo request, which occupies a process until its end; few of them run at the same
 * time.
 */
const icmp = {
  schemes: { icmp: 0 },
  ports: 'none',
  form: 'icmp://host',
  urlProblem: beyondHostProblem,
  conditionTypes: ['RESPONSE_TIME'],
  optional: { conditions: ConditionList },
  settings: { url: Type.String(), conditions: Type.Array(Condition) },
  reply: {},
  maxTimeoutMs: 5_000,
} as const satisfies ProbeContract

/** Problem of a `domain` URL whose host is not a name with at least two labels. */
const domainProblem = (url: URL): string | null =>
  domainName.test(url.hostname) && url.port === ''
    ? beyondHostProblem(url)
    : 'must name a domain, without a port'

const domainName = /^(?=.{1,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/

/** Reads the expiry of a domain's registration by RDAP (RFC 9083), once a day. */
const domain = {
  schemes: { domain: 0 },
  ports: 'none',
  form: 'domain://example.com',
  urlProblem: domainProblem,
  conditionTypes: ['DOMAIN_DAYS'],
  optional: { conditions: ConditionList },
  settings: { url: Type.String(), conditions: Type.Array(Condition) },
  reply: {},
} as const satisfies ProbeContract

const MIN_PERIOD_SECONDS = 10
const MAX_PERIOD_SECONDS = 366 * 86_400
const MAX_RUN_SECONDS = 31 * 86_400
const MAX_CRON = 100

const RunSeconds = (description: string) => ({
  ...Nullable(Type.Integer({ minimum: 1, maximum: MAX_RUN_SECONDS })),
  description,
})

/** Times at which a job runs. */
export const HeartbeatSchedule = Type.Object({
  cron: Type.String({
    minLength: 1,
    maxLength: MAX_CRON,
    description: 'Cron expression with five fields, or a name such as `@daily`',
  }),
  timezone: TimeZone,
})
export type HeartbeatSchedule = Static<typeof HeartbeatSchedule>

const Schedule = {
  ...Nullable(HeartbeatSchedule),
  description: 'Times at which the pings of a heartbeat are expected',
}
const PeriodSeconds = {
  ...Nullable(Type.Integer({ minimum: MIN_PERIOD_SECONDS, maximum: MAX_PERIOD_SECONDS })),
  description: 'Time from one ping of a heartbeat to the next, instead of `schedule`',
}
const startGraceSeconds = {
  minimum: 0,
  maximum: MAX_RUN_SECONDS,
  description: 'Time after which an expected ping is missed',
}
const runLimits = {
  maxRunSeconds: RunSeconds('Maximum time from the start of a run to its end'),
  minRunSeconds: RunSeconds('Minimum time from the start of a run to its end'),
}

/** Waits for the pings of a job instead of sending requests. */
const heartbeat = {
  schemes: {},
  ports: 'none',
  form: '',
  conditionTypes: [],
  optional: {
    kind: {
      ...Nullable(Type.Literal('heartbeat')),
      description:
        '`heartbeat`: wait for pings, without `url`; null: the scheme of `url` selects the kind',
    },
    schedule: Schedule,
    periodSeconds: PeriodSeconds,
    startGraceSeconds: Type.Integer({ ...startGraceSeconds, default: 60 }),
    ...runLimits,
  },
  settings: {
    schedule: Schedule,
    periodSeconds: PeriodSeconds,
    startGraceSeconds: Type.Integer(startGraceSeconds),
    ...runLimits,
  },
  reply: { kind: Nullable(Type.Literal('heartbeat')) },
  without: [
    'checkInterval',
    'timeout',
    'failureThreshold',
    'recoveryThreshold',
    'locations',
    'locationQuorum',
  ],
} as const satisfies ProbeContract

export const probeKinds = { http, tcp, tls, dns, icmp, domain, heartbeat }

type Kinds = typeof probeKinds
export type ProbeKind = keyof Kinds

/** Kinds that wait for a push. */
export type PushKind = {
  [Kind in ProbeKind]: keyof Kinds[Kind]['schemes'] extends never ? Kind : never
}[ProbeKind]

/** Kinds that send requests. */
export type PolledKind = Exclude<ProbeKind, PushKind>

/** Settings of a check, tagged by its kind. */
export type ProbeSettings<Kind extends ProbeKind = ProbeKind> = {
  [One in Kind]: { kind: One } & Static<TObject<Kinds[One]['settings']>>
}[Kind]

const contracts: Readonly<Record<ProbeKind, ProbeContract>> = probeKinds

export const probeKindNames = Object.keys(probeKinds) as readonly ProbeKind[]

const isPushKind = (kind: ProbeKind): kind is PushKind =>
  Object.keys(contracts[kind].schemes).length === 0
const pushKinds = probeKindNames.filter(isPushKind)
export const polledKinds = probeKindNames.filter((kind): kind is PolledKind => !isPushKind(kind))

/** Whether the check waits for a push instead of sending requests. */
export const waitsForPush = <Check extends { kind: ProbeKind }>(
  check: Check,
): check is Extract<Check, { kind: PushKind }> => isPushKind(check.kind)

export const conditionTypesOf = (kind: ProbeKind): readonly ConditionType[] =>
  contracts[kind].conditionTypes

/** Timeout of a check of the kind, in ms. */
export const timeoutOf = (kind: ProbeKind, timeoutMs: number): number =>
  Math.min(timeoutMs, contracts[kind].maxTimeoutMs ?? timeoutMs)

/** Problem of the form of a `url` of the kind, or null. */
export const urlProblemOf = (kind: ProbeKind, url: string): string | null => {
  const { urlProblem, form } = contracts[kind]
  const problem = urlProblem?.(new URL(url)) ?? null
  return problem === null ? null : `url ${problem}, such as ${form}`
}

const kindsByScheme: ReadonlyMap<string, ProbeKind> = new Map(
  probeKindNames.flatMap((kind) =>
    Object.keys(contracts[kind].schemes).map((scheme) => [scheme, kind]),
  ),
)

/** Schemes of the `url` of checks, of all kinds. */
export const checkSchemes: readonly string[] = [...kindsByScheme.keys()]

/** Default port and allowed ports of the URLs of a scheme; undefined for that of no kind. */
export const portsOfScheme = (
  scheme: string,
): { defaultPort: number | null; group: PortGroup } | undefined => {
  const kind = kindsByScheme.get(scheme)
  if (kind === undefined) return undefined
  const { schemes, ports } = contracts[kind]
  return { defaultPort: schemes[scheme] ?? null, group: ports }
}

/** Kind of a check with the given fields; null when the scheme of `url` is that of no kind. */
export const probeKindOf = ({ kind, url }: { kind?: unknown; url?: unknown }): ProbeKind | null =>
  pushKinds.find((one) => one === kind) ??
  kindsByScheme.get(String(url).split(':', 1).join().toLowerCase()) ??
  null

/** Field `kind` of a check in requests and replies; null when the scheme of `url` selects it. */
export const kindFieldOf = (kind: ProbeKind): PushKind | null => (isPushKind(kind) ? kind : null)

/** `url` of a check; its scheme selects the kind. */
const CheckUrl = Type.String({
  format: 'check-url',
  maxLength: 2048,
  description: `Its scheme selects the kind of the check: ${polledKinds
    .map((kind) => `\`${contracts[kind].form}\``)
    .join(', ')}; required unless \`kind\` is \`heartbeat\``,
})

type AllOf<Fields> = (Fields extends unknown ? (fields: Fields) => void : never) extends (
  fields: infer All extends TProperties,
) => void
  ? All
  : never

const merged = (part: 'optional' | 'settings' | 'reply'): TProperties =>
  Object.assign({}, ...probeKindNames.map((kind) => contracts[kind][part]))

/** Fields of all kinds. */
export const probeUrlFields = { url: CheckUrl }
export const optionalProbeFields = merged('optional') as AllOf<Kinds[ProbeKind]['optional']>
export const probeReplyFields = { ...merged('settings'), ...merged('reply') } as AllOf<
  {
    [Kind in ProbeKind]: Omit<Kinds[Kind]['settings'], keyof Kinds[Kind]['reply']> &
      Kinds[Kind]['reply']
  }[ProbeKind]
>

/** Names of the fields that checks of the kind have besides those of every check. */
export const fieldsOfProbe = (kind: ProbeKind): readonly string[] =>
  Object.keys(contracts[kind].settings)

/** Whether checks of the kind have a field of every check. */
export const hasCommonField = (kind: ProbeKind, field: string): boolean =>
  !(contracts[kind].without ?? []).includes(field)

type Without<Kind extends ProbeKind> = Kinds[Kind] extends { without: readonly (infer Field)[] }
  ? Field & string
  : never

/** Settings of any kind with those of the `common` fields that it has, tagged by the kind. */
export const settingsOfAnyProbe = <Common extends TProperties>(common: Common) =>
  Type.Unsafe<
    {
      [Kind in ProbeKind]: ProbeSettings<Kind> & Omit<Static<TObject<Common>>, Without<Kind>>
    }[ProbeKind]
  >(
    Type.Union(
      probeKindNames.map((kind) =>
        Type.Object({
          kind: Type.Literal(kind),
          ...contracts[kind].settings,
          ...Object.fromEntries(
            Object.entries(common).filter(([field]) => hasCommonField(kind, field)),
          ),
        }),
      ),
    ),
  )
