/** Browser without scripts for tests: keeps cookies, sends forms, and reads documents. */
import type { ServiceApp } from '@status-page/service'
import { httpTarget } from '@status-page/testing'
import type { LightMyRequestResponse } from 'fastify'

export type Fields = Record<string, string>

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

export interface TestBrowser {
  cookies: Map<string, string>
  open(url: string, headers?: Fields): Promise<LightMyRequestResponse>
  submit(url: string, fields: Fields, headers?: Fields): Promise<LightMyRequestResponse>
}

export const testBrowser = ({ http }: Pick<ServiceApp, 'http'>): TestBrowser => {
  const cookies = new Map<string, string>()
  const send = async (request: {
    method: 'GET' | 'POST'
    url: string
    headers: Fields
    payload?: string
  }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await http.inject({
      ...request,
      headers: { ...HTML, ...request.headers, ...(cookie === '' ? {} : { cookie }) },
    })
    for (const { name, value } of response.cookies) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    open: (url, headers = {}) => send({ method: 'GET', url, headers }),
    submit: (url, fields, headers = { 'sec-fetch-site': 'same-origin' }) =>
      send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams(fields).toString(),
      }),
  }
}

/** Browser with the session of a member. */
export const browserOf = (app: Pick<ServiceApp, 'http'>, { cookie }: { cookie: string }) => {
  const browser = testBrowser(app)
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  return browser
}

/** Core with one published page. */
export const coreWithPages = (t: { teardown(work: () => unknown): void }) => {
  const pages = [{ name: '<Acme>', url: 'http://status.test/status/acme' }]
  return httpTarget(t, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: pages, pages, domains: [], isLast: true }),
  })
}

/** Ids of the messages of a field, as assistive technology reads them. */
export const messagesOf = (body: string, field: string): string[] => {
  const [, ids = ''] =
    new RegExp(`<(?:input|textarea) id="${field}"[^>]*aria-describedby="([^"]*)"`).exec(body) ?? []
  return ids.split(' ').filter((id) => new RegExp(`<p [^>]*id="${id}"`).test(body))
}
