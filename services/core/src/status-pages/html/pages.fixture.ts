/** Published page with components, incidents and maintenances, over the whole app. */
import {
  componentOperations,
  incidentOperations,
  maintenanceOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import type { CoreKit } from '../../core.fixture.ts'

const HOUR_MS = 3_600_000

type Headers = Record<string, string>

export const publishedOn = async (kit: CoreKit, settings: object = {}) => {
  const organization = kit.as()
  const slug = `p-${newId().slice(-12)}`
  const component = async (name: string, more: object = {}) => {
    const body = { type: 'SERVICE', name, ...more }
    return (await organization.request(componentOperations.create, { body })).body.id as string
  }
  const body = { name: 'Acme', slug, isPublished: true, ...settings }
  const { body: page } = await organization.request(statusPageOperations.create, { body })
  const change = (patch: object) =>
    organization.request(statusPageOperations.update, { params: { id: page.id }, body: patch })
  const open = async (incident: object) =>
    (
      await organization.request(incidentOperations.create, {
        body: { title: 'API errors', ...incident },
      })
    ).body
  const postUpdate = async (id: string, update: object) =>
    (await organization.request(incidentOperations.addUpdate, { params: { id }, body: update }))
      .body
  const plan = async (more: object = {}) => {
    const [from, until] = [1, 2].map((hours) => new Date(Date.now() + hours * HOUR_MS))
    const times = { scheduledFor: from?.toISOString(), scheduledUntil: until?.toISOString() }
    const given = { title: 'DB upgrade', ...times, ...more }
    return (await organization.request(maintenanceOperations.create, { body: given })).body
  }
  const get = (path: string, headers: Headers = {}) =>
    kit.http.inject({ url: `/status/${slug}${path}`, headers: { ...kit.anonymous, ...headers } })
  const data = (path: string, headers: Headers = {}) =>
    kit.http.inject({
      url: `/api/v1/public/status/${slug}${path}`,
      headers: { ...kit.anonymous, ...headers },
    })
  const post = (path: string, fields: Headers, headers: Headers = {}) =>
    kit.http.inject({
      method: 'POST',
      url: `/status/${slug}${path}`,
      headers: {
        ...kit.anonymous,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      payload: new URLSearchParams(fields).toString(),
    })
  return { ...organization, slug, page, component, change, open, postUpdate, plan, get, data, post }
}
