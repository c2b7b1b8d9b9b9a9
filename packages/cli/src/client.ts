/** Sends requests to the service. Redirects are not followed: the key belongs to one address. */
import type { ErrorBody } from '@status-page/contracts'
import type { ApiCredentials } from './credentials.ts'

const TIMEOUT_MS = 60_000
const MAX_PROBLEMS = 50

export interface CliRequest {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  /** Configuration document in YAML, sent as the body. */
  document?: string
  json?: unknown
}

/** Error reply of the service; each of `problems` is printed on its own line. */
export class CliError extends Error {
  readonly status: number
  readonly problems: readonly string[]

  constructor(status: number, message: string, problems: readonly string[]) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.problems = problems
  }
}

export class ApiUnreachableError extends Error {}

export const requestText = async (
  { url, key }: ApiCredentials,
  request: CliRequest,
): Promise<string> => {
  const { method, path, query = {}, document, json } = request
  const body = json === undefined ? document : JSON.stringify(json)
  const type = json === undefined ? 'application/yaml' : 'application/json'
  const search = new URLSearchParams(query).toString()
  const target = `${url}/api/v1${path}${search === '' ? '' : `?${search}`}`
  const answer = await fetch(target, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      authorization: `Bearer ${key}`,
      'user-agent': 'statusctl',
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  }).catch((error: unknown) => {
    throw new ApiUnreachableError(`${url} cannot be reached: ${causeOf(error)}`)
  })
  const text = await answer.text()
  if (!answer.ok) throw refusalOf(answer.status, text)
  return text
}

export const requestJson = async <Reply>(
  credentials: ApiCredentials,
  request: CliRequest,
): Promise<Reply> => {
  const text = await requestText(credentials, request)
  try {
    return JSON.parse(text) as Reply
  } catch {
    throw new ApiUnreachableError(`${credentials.url} is not a status page service`)
  }
}

const causeOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1_000} s`
  return cause?.code ?? cause?.message ?? message
}

interface Problem {
  field?: string
  message?: string
  line?: number
  column?: number
}

const refusalOf = (status: number, text: string): Error => {
  const error = errorIn(text)
  if (error === null)
    return new ApiUnreachableError(`the server is not a status page service (status ${status})`)
  const issues = (error.details?.issues ?? []) as Problem[]
  const problems = issues.slice(0, MAX_PROBLEMS).map(formatProblem)
  return new CliError(
    status,
    problems.length === 0 ? error.message : `refused (${status})`,
    problems,
  )
}

export const formatProblem = ({ field, message = '', line, column }: Problem): string => {
  const place = line === undefined ? '' : `${line}:${column ?? 1} `
  return field !== undefined && !message.includes(field)
    ? `${place}${field}: ${message}`
    : place + message
}

const errorIn = (text: string): ErrorBody['error'] | null => {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>
    return typeof error?.message === 'string' ? error : null
  } catch {
    return null
  }
}
