/** The README's tour, written by a client that has only the OpenAPI document. */
import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

export interface Tour {
  key: string
  component: { id: string; type: string; status: string }
  subscribers: string[]
  status: { indicator: string; components: string[] }
  refusal: { status: number; code: string; field: string | undefined }
}

export const tour = async (baseUrl: string, checkedUrl: string): Promise<Tour> => {
  const visitor = createClient<paths>({ baseUrl })
  const key = await clientWithKey(baseUrl)
  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

  const { id, type, status } = dataOf(
    await api.POST('/api/v1/components', {
      body: {
        type: 'ENDPOINT',
        name: 'API',
        url: checkedUrl,
        checkInterval: 10,
        failureThreshold: 2,
        autoCreateIncident: true,
      },
    }),
  )
  const webhook = dataOf(
    await api.POST('/api/v1/subscribers', {
      body: {
        type: 'webhook',
        webhookUrl: checkedUrl,
        webhookSecret: 'a-secret-of-16-chars',
      },
    }),
  )
  const reader = dataOf(
    await api.POST('/api/v1/subscribers', {
      body: { type: 'email', email: 'reader@example.com' },
    }),
  )
  dataOf(
    await api.POST('/api/v1/status-pages', {
      body: { name: 'Acme', slug: 'client-tour', isPublished: true },
    }),
  )
  const shown = dataOf(
    await visitor.GET('/api/v1/public/status/{slug}', {
      params: { path: { slug: 'client-tour' } },
    }),
  )
  const { error, response } = await api.POST('/api/v1/subscribers', {
    body: { type: 'email', email: 'nobody' },
  })
  return {
    key,
    component: { id, type, status },
    subscribers: [webhook.status, reader.status],
    status: {
      indicator: shown.status.indicator,
      components: shown.components.map(({ name }: { name: string }) => name),
    },
    refusal: {
      status: response.status,
      code: error?.error.code ?? '',
      field: error?.error.details?.field,
    },
  }
}

const clientWithKey = async (baseUrl: string): Promise<string> => {
  const visitor = createClient<paths>({ baseUrl })
  const { data, error, response } = await visitor.POST('/api/v1/auth/register', {
    body: {
      email: 'ana@example.com',
      password: 'correct horse battery',
      name: 'Ana',
      organizationName: 'Acme',
    },
  })
  dataOf({ data, error })
  const [cookie = ''] = response.headers.getSetCookie()
  const session = createClient<paths>({
    baseUrl,
    headers: { cookie: cookie.split(';', 1)[0] ?? '' },
  })
  const created = await session.POST('/api/v1/api-keys', {
    body: {
      name: 'tour',
      permissions: ['components:write', 'subscribers:write', 'status-pages:write'],
    },
  })
  return dataOf(created).key
}

const dataOf = <Data>({ data, error }: { data?: Data | undefined; error?: unknown }): Data => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}
