/** Bytes to envelope and back; nothing unproven reaches a reaction: subject, body and schema must agree. */
import { type Envelope, type Event, type ServiceName, subjectOf } from '@status-page/contracts'
import { Ajv, type ValidateFunction } from 'ajv'
import type { OutboxEventRow } from './outbox-queries.ts'

/** A message that can never be handled as it is. */
export class PoisonError extends Error {
  override readonly name = 'PoisonError'
}

/** The body as it travels; `data` is Postgres' own JSON text, so nothing is parsed to be sent. */
export const bodyOf = (producer: ServiceName, row: OutboxEventRow): Buffer => {
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

/** `incident.created` of `events.incident.created.<organization id>`, or null. */
export const kindOfSubject = (subject: string): string | null =>
  /^events\.([^.]+\.[^.]+)\.[^.]+$/.exec(subject)?.[1] ?? null

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isUuid = (text: unknown): text is string => typeof text === 'string' && uuid.test(text)

const ajv = new Ajv({
  strict: false,
  discriminator: true,
  // Formats belong to the edge, where a person can mend them; stored data has passed it.
  validateFormats: false,
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
const isEnvelope = ajv.compile<Envelope>(envelopeSchema)

const dataValidators = new WeakMap<Event, ValidateFunction>()
const dataValidator = (event: Event): ValidateFunction => {
  const known = dataValidators.get(event) ?? ajv.compile(event.data)
  dataValidators.set(event, known)
  return known
}

const parse = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    throw new PoisonError('body is not JSON')
  }
}

const demand = (fine: boolean, problem: string): void => {
  if (!fine) throw new PoisonError(problem)
}

/** The envelope of a message whose id and subject the transport gave; throws `PoisonError`. */
export const openEnvelope = (
  on: readonly Event[],
  message: { eventId: string; subject: string; raw: Buffer },
): Envelope => {
  const body = parse(message.raw)
  if (!isEnvelope(body)) throw new PoisonError(`envelope: ${ajv.errorsText(isEnvelope.errors)}`)
  const event = on.find(({ kind }) => kind === body.kind)
  if (event === undefined) throw new PoisonError(`kind ${body.kind} is not taken here`)
  demand(message.subject === subjectOf(body.kind, body.organizationId), 'subject and body disagree')
  demand(body.id === message.eventId, 'message id and body disagree')
  demand(event.producers.includes(body.producer), `${body.producer} does not produce ${body.kind}`)
  const validate = dataValidator(event)
  demand(validate(body.data), `data: ${ajv.errorsText(validate.errors)}`)
  return body
}
