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
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`${origin}/api/v1${path}`, init)
    if (response.ok) return response
    throw new Error(`${init.method} ${path}: ${response.status} ${await response.text()}`)
  }
  const json = { 'content-type': 'application/json' }
  const name = `benchmark-${randomUUID()}`
  const account = { email: `${name}@example.com`, password: 'correct horse battery', name: 'Olga' }
  const registered = await request('/auth/register', {
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
      const response = await request(path, {
        method,
        headers,
        body: isForm ? body : JSON.stringify(body),
      })
      return (await response.json()) as T
    },
  }
}
