/** Streaming of multipart bodies: at most one chunk is in memory. */
import multipart from '@fastify/multipart'
import { AppError, invalid, type Operation } from '@status-page/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unsupportedMediaType } from './body.ts'

const MAX_PARTS = 20
const MAX_FILES = 1
const MAX_FIELD_BYTES = 1024

/** Part of a body; a file is read or dropped before the next part. */
export type MultipartPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; content: AsyncIterable<Buffer> }

/**
 * Installs the parser; for an encapsulated context, since the plugin hooks every request of its
 * context.
 */
export const installMultipart = (fastify: FastifyInstance): void => {
  fastify.register(multipart)
  fastify.addHook('preParsing', async ({ headers, routeOptions }) => {
    if (headers['content-encoding'] !== undefined) {
      throw unsupportedMediaType('Content-Encoding is not supported')
    }
    if (Number(headers['content-length']) > (routeOptions.bodyLimit ?? 0)) throw tooLarge()
  })
}

export async function* readMultipartParts(
  request: FastifyRequest,
  bodyLimit: number,
): AsyncGenerator<MultipartPart> {
  if (!request.isMultipart()) {
    throw invalid({ field: 'body', message: 'body must be multipart/form-data' })
  }
  const limits = {
    parts: MAX_PARTS,
    files: MAX_FILES,
    fieldSize: MAX_FIELD_BYTES,
    fileSize: bodyLimit,
  }
  try {
    let index = 0
    for await (const part of request.parts({ limits })) {
      requireName(part, index++)
      if (part.type === 'field') yield fieldOf(part)
      else {
        yield { kind: 'file', name: part.fieldname, content: contentOf(part.file) }
        part.file.resume()
      }
    }
  } catch (error) {
    throw refusalOf(error)
  } finally {
    // Discards the unread rest, which would block the connection.
    request.raw.unpipe()
    request.raw.resume()
  }
}

const requireName = ({ fieldname }: { fieldname?: string }, index: number): void => {
  const field = `parts[${index}].name`
  if (!fieldname) throw invalid({ field, message: `${field} is required` })
}

const fieldOf = (part: {
  fieldname: string
  value: unknown
  valueTruncated: boolean
}): MultipartPart => {
  const { fieldname: name, value, valueTruncated } = part
  if (valueTruncated || typeof value !== 'string') {
    throw invalid({ field: name, message: `${name} must be a short text value` })
  }
  return { kind: 'field', name, value }
}

async function* contentOf(
  file: AsyncIterable<Buffer> & { truncated: boolean },
): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw refusalOf(error)
  }
  if (file.truncated) throw tooLarge()
}

const tooLarge = () => new AppError('PAYLOAD_TOO_LARGE', 'The body is too large')

const refusalOf = (error: unknown): AppError => {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  const refusal =
    code === 'FST_REQ_FILE_TOO_LARGE'
      ? tooLarge()
      : invalid({ field: 'body', message: messages[code ?? ''] ?? 'body is not valid multipart' })
  refusal.cause = error
  return refusal
}

const messages: Readonly<Record<string, string>> = {
  FST_FILES_LIMIT: 'body must have one file',
  FST_PARTS_LIMIT: `body must have at most ${MAX_PARTS} parts`,
}

export const isMultipart = ({ bodyType }: Operation): boolean => bodyType === 'multipart'
