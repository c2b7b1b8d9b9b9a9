/** The body of a webhook: exactly the fields of the contract, serialised once per delivery. */
import type { IncidentFact, MaintenanceFact, MonitorFact } from '@status-page/contracts'

interface Facts {
  incident: IncidentFact
  maintenance: MaintenanceFact
  monitor: MonitorFact
}

/** An event about one noun, as a message tells it. */
export type ToldOf<Noun extends keyof Facts> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<Facts, Noun>

export type Told = ToldOf<'incident'> | ToldOf<'maintenance'> | ToldOf<'monitor'>

export const webhookBody = (told: Told): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: told.kind,
      timestamp: told.occurredAt.toISOString(),
      ...subjectOf(told),
    }),
  )

const subjectOf = (told: Told) => {
  if ('incident' in told) return { incident: incidentOf(told.incident) }
  return 'maintenance' in told
    ? { maintenance: maintenanceOf(told.maintenance) }
    : { monitor: monitorOf(told.monitor) }
}

const incidentOf = ({ id, title, status, impact, components }: IncidentFact) => ({
  ...{ id, title, status, impact },
  components: namesOf(components),
})

const maintenanceOf = (maintenance: MaintenanceFact) => {
  const { id, title, status, scheduledFor, scheduledUntil, components } = maintenance
  return { id, title, status, scheduledFor, scheduledUntil, components: namesOf(components) }
}

/** Named as the component; never with its URL. */
const monitorOf = ({ componentId, name, derivedStatus }: MonitorFact) => ({
  ...{ id: componentId, title: name, status: derivedStatus },
  components: [name],
})

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
