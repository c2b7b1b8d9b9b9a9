/** The body of a webhook: exactly the fields of the contract, serialised once per delivery. */
import type { IncidentFact } from '@status-page/contracts'

export interface Told {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
  incident: IncidentFact
}

export const webhookBody = ({ kind, occurredAt, incident }: Told): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: kind,
      timestamp: occurredAt.toISOString(),
      incident: {
        id: incident.id,
        title: incident.title,
        status: incident.status,
        impact: incident.impact,
        components: incident.components.map(({ name }) => name),
      },
    }),
  )
