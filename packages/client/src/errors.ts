/** Errors of the client: error replies of the service, and the lack of a reply of the service. */
import type { components } from './schema.d.ts'

export type ApiErrorBody = components['schemas']['Error']['error']

/** Problem of one field of the request. */
export interface ApiIssue {
  field?: string
  message?: string
  /** Keyword of JSON Schema or rule that the value violates, with its limit or format. */
  keyword?: string
  limit?: number
  /** Field whose value is the limit. */
  limitField?: string
  format?: string
  /** Position in a configuration document. */
  line?: number
  column?: number
}

/** Error reply of the service. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ApiErrorBody['code']
  readonly details: NonNullable<ApiErrorBody['details']>
  /** Issues of a request that is not valid, one per field. */
  readonly issues: readonly ApiIssue[]

  constructor(status: number, { code, message, details = {} }: ApiErrorBody) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
    this.issues = (details.issues ?? []) as ApiIssue[]
  }
}

/** No reply of the service: connection refused, timeout, redirect, or another server. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** Throws unless the reply is a success with a body that the caller can read. */
export const checkReply = async (
  response: Response,
  { parseAs }: { parseAs: string },
): Promise<void> => {
  if (!response.ok) throw errorOf(response.status, await response.text())
  const type = response.headers.get('content-type')
  if (parseAs === 'json' && type !== null && !type.includes('json')) {
    throw new ConnectionError(`the server is not a status page service (reply of type ${type})`)
  }
}

const errorOf = (status: number, text: string): Error => {
  try {
    const { error } = JSON.parse(text) as Partial<components['schemas']['Error']>
    if (typeof error?.message === 'string') return new ApiError(status, error)
  } catch {
    // A text that is not JSON gets the same error as JSON of another shape, below.
  }
  return new ConnectionError(`the server is not a status page service (status ${status})`)
}
