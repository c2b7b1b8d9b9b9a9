/** The README's tour, with the typed client. */
import { ApiError, createClient } from '@status-page/client'

export interface Tour {
  key: string
  component: { id: string; type: string; status: string }
  subscribers: string[]
  status: { indicator: string; components: string[] }
  refusal: { status: number; code: string; field: string | undefined }
}

export const tour = async (url: string, checkedUrl: string): Promise<Tour> => {
  const visitor = createClient({ url })
  const key = await createKey(url)
  const api = createClient({ url, apiKey: key })

  const { data: component } = await api.POST('/api/v1/components', {
    body: {
      type: 'ENDPOINT',
      name: 'API',
      url: checkedUrl,
      checkInterval: 10,
      failureThreshold: 2,
      autoCreateIncident: true,
    },
  })
  const { data: webhook } = await api.POST('/api/v1/subscribers', {
    body: { type: 'webhook', webhookUrl: checkedUrl, webhookSecret: 'a-secret-of-16-chars' },
  })
  const { data: reader } = await api.POST('/api/v1/subscribers', {
    body: { type: 'email', email: 'reader@example.com' },
  })
  await api.POST('/api/v1/status-pages', {
    body: { name: 'Acme', slug: 'client-tour', isPublished: true },
  })
  const { data: shown } = await visitor.GET('/api/v1/public/status/{slug}', {
    params: { path: { slug: 'client-tour' } },
  })
  const refusal = await api
    .POST('/api/v1/subscribers', { body: { type: 'email', email: 'nobody' } })
    .catch((error: unknown) => error)
  if (!(refusal instanceof ApiError)) throw new Error('an invalid address was accepted')
  const { id, type, status } = component
  return {
    key,
    component: { id, type, status },
    subscribers: [webhook.status, reader.status],
    status: {
      indicator: shown.status.indicator,
      components: shown.components.map(({ name }) => name),
    },
    refusal: { status: refusal.status, code: refusal.code, field: refusal.details.field },
  }
}

/** Registers an account; returns an API key that its session created. */
const createKey = async (url: string): Promise<string> => {
  const { response } = await createClient({ url }).POST('/api/v1/auth/register', {
    body: {
      email: 'ana@example.com',
      password: 'correct horse battery',
      name: 'Ana',
      organizationName: 'Acme',
    },
  })
  const [cookie = ''] = response.headers.getSetCookie()
  const { data } = await createClient({ url }).POST('/api/v1/api-keys', {
    headers: { cookie: cookie.split(';', 1)[0] ?? '' },
    body: {
      name: 'tour',
      permissions: ['components:write', 'subscribers:write', 'status-pages:write'],
    },
  })
  return data.key
}
