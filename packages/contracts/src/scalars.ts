/** The scalars of the contract. Formats are judged by the service package; lengths count code points. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** A UUIDv7 made by the server. */
export const Id = Type.String({ format: 'uuid' })

/** RFC 3339 on the way in, ISO 8601 UTC with milliseconds on the way out. */
export const Timestamp = Type.String({ format: 'timestamp' })

/** Names, titles and labels: no line break, no control character; bidi and zero-width ones are dropped. */
export const OneLine = (maxLength: number, minLength = 1) =>
  Type.String({ format: 'one-line', minLength, maxLength })

/** Descriptions, messages, postmortems: may hold tab and line feed. */
export const LongText = (maxLength: number, minLength = 0) =>
  Type.String({ format: 'long-text', minLength, maxLength })

/** `http` or `https`, at most 2048 characters, no user info; stored in canonical form. */
export const HttpUrl = Type.String({ format: 'http-url', maxLength: 2048 })

/** As `HttpUrl`, `https` only. */
export const HttpsUrl = Type.String({ format: 'https-url', maxLength: 2048 })

/** One ASCII mailbox, stored in lower case. */
export const Email = Type.String({ format: 'mailbox', maxLength: 254 })

/** E.164. */
export const Phone = Type.String({ format: 'phone', maxLength: 16 })

/** IANA name. */
export const TimeZone = Type.String({ format: 'time-zone', maxLength: 64 })

/**
 * A credential in a reply, shown in this one answer. An answer that can hold one is never stored for
 * `Idempotency-Key`.
 */
export const ShownSecret = (description: string) =>
  Type.Unsafe<string>({ ...Type.String({ description }), secret: true })

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** A closed set of strings; errors list the members. */
export const OneOf = <const Values extends readonly string[]>(
  values: Values,
  options: { default?: Values[number]; description?: string } = {},
) => Type.Unsafe<Values[number]>(Type.String({ ...options, enum: [...values] }))

/**
 * Adds keywords that only the OpenAPI document carries: conditions that a service checks itself, with
 * a message of its own.
 */
export const documented = <S extends TSchema>(schema: S, keywords: object): S => ({
  ...schema,
  documented: keywords,
})

/** Objects told apart by one field; a wrong tag is one error naming that field. */
export const TaggedUnion = <Variants extends readonly TSchema[]>(
  tag: string,
  variants: readonly [...Variants],
) =>
  Type.Unsafe<Static<Variants[number]>>({
    type: 'object',
    discriminator: { propertyName: tag },
    required: [tag],
    oneOf: variants,
  })

/** Answer of every DELETE and of calls without a resource of their own. */
export const Success = Type.Object({ success: Type.Literal(true) })
export const success: Static<typeof Success> = { success: true }

/** What a secret reads as. */
export const REDACTED = '***REDACTED***'

export const IdParams = Type.Object({ id: Id })
