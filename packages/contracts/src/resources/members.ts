/** Members: people of an organization, with their role and where account mail reaches them. */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { Id } from '../scalars.ts'

const about = Type.Object({
  member: Type.Object({
    userId: Id,
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
  }),
})

export const memberAdded = event({
  kind: 'member.added',
  producers: ['gateway'],
  selectableBy: 'nobody',
  data: about,
})
