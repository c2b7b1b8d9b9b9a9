/** Organizations: the tenant, as other services need to know it. */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { Id } from '../scalars.ts'

const about = Type.Object({
  organization: Type.Object({ id: Id, name: Type.String(), slug: Type.String() }),
})

export const organizationCreated = event({
  kind: 'organization.created',
  producers: ['gateway'],
  selectableBy: 'nobody',
  data: about,
})
