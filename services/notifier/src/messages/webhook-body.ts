/** Body of a webhook: exactly the fields of the contract, serialized once per delivery. */
import { type EventSubjects, toEventPayload } from '@status-page/contracts'

/** Event about one type of subject. */
export type SubjectEvent<Noun extends keyof EventSubjects> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<EventSubjects, Noun>

/** Event about any type of subject; no message is sent about the settings of a component. */
export type WebhookEvent = {
  [Noun in Exclude<keyof EventSubjects, 'component'>]: SubjectEvent<Noun>
}[Exclude<keyof EventSubjects, 'component'>]

export const webhookBody = (event: WebhookEvent): Buffer =>
  Buffer.from(
    JSON.stringify(toEventPayload({ ...event, occurredAt: event.occurredAt.toISOString() })),
  )
