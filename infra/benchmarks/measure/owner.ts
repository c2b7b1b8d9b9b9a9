/** The owner of a new organization, as a browser-like client of the gateway. */
import { randomUUID } from 'node:crypto'
import type { Identity } from '@status-page/contracts'

export interface BenchmarkOwner {
  organizationId: string
  email: string
  password: string
  /** Headers of a request with the session. */
  headers: Readonly<Record<string, string>>
  /** Sends a request; throws an error with the response for any status other than success. */
  send<T>(method: string, path: string, body: object | FormData): Promise<T>
}

export const registerOwner = async (origin: string): Promise<BenchmarkOwner> => {
  const ask = async (path: string, request: RequestInit): Promise<Response> => {
    const answer = await fetch(`${origin}/api/v1${path}`, request)
    if (answer.ok) return answer
    throw new Error(`${request.method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  const json = { 'content-type': 'application/json' }
  const name = `benchmark-${randomUUID()}`
  const account = { email: `${name}@example.com`, password: 'correct horse battery', name: 'Olga' }
  const registered = await ask('/auth/register', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ ...account, organizationName: name }),
  })
  const cookie = registered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const { organization } = (await registered.json()) as Identity
  const session = { cookie, 'sec-fetch-site': 'same-origin' }
  return {
    organizationId: organization.id,
    email: account.email,
    password: account.password,
    headers: session,
    async send<T>(method: string, path: string, body: object | FormData): Promise<T> {
      const isForm = body instanceof FormData
      const headers = { ...session, ...(isForm ? {} : json) }
      const answer = await ask(path, {
        method,
        headers,
        body: isForm ? body : JSON.stringify(body),
      })
      return (await answer.json()) as T
    },
  }
}
