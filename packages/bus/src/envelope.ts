/**
 * Conversion between message bytes and envelopes. Subject, body and schema must agree before a
 * handler receives an envelope.
 */
import { type Envelope, type Event, type ServiceName, subjectOf } from '@status-page/contracts'
import { Ajv, type ValidateFunction } from 'ajv'
import type { OutboxEventRow } from './outbox-queries.ts'

/** Error of a message that no retry can handle. */
export class PoisonError extends Error {
  override readonly name = 'PoisonError'
}

/**
 * Message body; `data` is the JSON text of Postgres, so nothing is parsed in order to be published.
 */
export const messageBodyOf = (producer: ServiceName, row: OutboxEventRow): Buffer => {
  const head = JSON.stringify({
    id: row.id,
    kind: row.kind,
    organizationId: row.organizationId,
    producer,
    aggregate: { type: row.aggregateType, id: row.aggregateId, version: row.aggregateVersion },
    occurredAt: row.occurredAt,
  })
  return Buffer.from(`${head.slice(0, -1)},"data":${row.data}}`)
}

/**
 * Kind of a subject, `incident.created` of `events.incident.created.<organization id>`; or null.
 */
export const kindOfSubject = (subject: string): string | null =>
  /^events\.([^.]+\.[^.]+)\.[^.]+$/.exec(subject)?.[1] ?? null

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuid.test(text)

const ajv = new Ajv({
  strict: false,
  discriminator: true,
  // Formats are validated at the public API, where a user can correct them; stored data has passed
  // it.
  validateFormats: false,
  // `contract.test.ts` of packages/service validates the schemas of events: the compilation of their
  // meta-schema takes 30 ms of processor time in each process.
  validateSchema: false,
  // See `validate.ts` of packages/service.
  code: { optimize: false },
})

const envelopeSchema = {
  type: 'object',
  required: ['id', 'kind', 'organizationId', 'producer', 'aggregate', 'occurredAt', 'data'],
  properties: {
    id: { type: 'string', pattern: uuid.source },
    kind: { type: 'string' },
    organizationId: { type: 'string', pattern: uuid.source },
    producer: { type: 'string' },
    aggregate: {
      type: 'object',
      required: ['type', 'id', 'version'],
      properties: {
        type: { type: 'string' },
        id: { type: 'string', pattern: uuid.source },
        version: { type: 'integer' },
      },
    },
    occurredAt: { type: 'string' },
  },
}

const validators = new WeakMap<object, ValidateFunction>()

/** Compiles the schema at its first value: a process receives few kinds, and none at its start. */
const validatorOf = (schema: object): ValidateFunction => {
  const validator = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validator)
  return validator
}

const isEnvelope = (body: unknown): body is Envelope => validatorOf(envelopeSchema)(body) === true

const parse = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    throw new PoisonError('body is not JSON')
  }
}

const requireValid = (isValid: boolean, problem: string): void => {
  if (!isValid) throw new PoisonError(problem)
}

/**
 * Parses a message and compares it with the id and subject of the transport; throws `PoisonError`.
 */
export const parseEnvelope = (
  on: readonly Event[],
  message: { eventId: string; subject: string; raw: Buffer },
): Envelope => {
  const body = parse(message.raw)
  if (!isEnvelope(body)) {
    throw new PoisonError(`envelope: ${ajv.errorsText(validatorOf(envelopeSchema).errors)}`)
  }
  const event = on.find(({ kind }) => kind === body.kind)
  if (event === undefined) throw new PoisonError(`kind ${body.kind} is not handled here`)
  requireValid(
    message.subject === subjectOf(body.kind, body.organizationId),
    'subject and body disagree',
  )
  requireValid(body.id === message.eventId, 'message id and body disagree')
  requireValid(
    event.producers.includes(body.producer),
    `${body.producer} does not produce ${body.kind}`,
  )
  const validate = validatorOf(event.data)
  requireValid(validate(body.data), `data: ${ajv.errorsText(validate.errors)}`)
  return body
}
