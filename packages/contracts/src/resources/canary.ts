/** The canary: an event that goes nowhere, so that a broken path is noticed before an incident. */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { services } from '../operation.ts'
import { OneOf, Timestamp } from '../scalars.ts'

export const canarySent = event({
  kind: 'canary.sent',
  producers: services,
  selectableBy: 'none',
  data: Type.Object({ service: OneOf(services), sentAt: Timestamp }),
})
