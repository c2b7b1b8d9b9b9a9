/** Organizations with components and incidents for the tests of incidents. */
import { componentOperations, incidentOperations as on } from '@status-page/contracts'
import type { CoreKit } from '../core.fixture.ts'

/** One organization with shortcuts for frequent requests. */
export const organizationOn = (kit: CoreKit) => {
  const organization = kit.as()
  const component = async (name: string, more: object = {}) => {
    const body = { type: 'SERVICE', name, ...more }
    return (await organization.request(componentOperations.create, { body })).body.id as string
  }
  const status = async (id: string) => {
    const { body } = await organization.request(componentOperations.read, { params: { id } })
    return `${body.status} ${body.statusSource}`
  }
  /** Incident events and audit entries since the last call, without component events. */
  const emitted = async () => {
    const { events, audit } = await kit.outbox(organization.organizationId)
    return { events: events.filter(({ kind }) => kind.startsWith('incident.')), audit }
  }
  const open = async (body: object) => {
    const response = await organization.request(on.create, {
      body: { title: 'API errors', ...body },
    })
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  }
  return { ...organization, component, status, emitted, open }
}
