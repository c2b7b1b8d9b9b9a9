/** The body of a webhook: exactly the fields of the contract, serialised once per delivery. */
import type { IncidentFact, MaintenanceFact } from '@status-page/contracts'

interface Facts {
  incident: IncidentFact
  maintenance: MaintenanceFact
}

/** An event about one noun, as a message tells it. */
export type ToldOf<Noun extends keyof Facts> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<Facts, Noun>

export type Told = ToldOf<'incident'> | ToldOf<'maintenance'>

export const webhookBody = (told: Told): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: told.kind,
      timestamp: told.occurredAt.toISOString(),
      ...('incident' in told
        ? { incident: incidentOf(told.incident) }
        : { maintenance: maintenanceOf(told.maintenance) }),
    }),
  )

const incidentOf = ({ id, title, status, impact, components }: IncidentFact) => ({
  ...{ id, title, status, impact },
  components: namesOf(components),
})

const maintenanceOf = (maintenance: MaintenanceFact) => {
  const { id, title, status, scheduledFor, scheduledUntil, components } = maintenance
  return { id, title, status, scheduledFor, scheduledUntil, components: namesOf(components) }
}

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
