/** The body of a webhook: exactly the fields of the contract, serialised once per delivery. */
import type { AlertFact, IncidentFact, MaintenanceFact, MonitorFact } from '@status-page/contracts'

interface Facts {
  incident: IncidentFact
  maintenance: MaintenanceFact
  monitor: MonitorFact
  alert: AlertFact
}

/** An event about one noun, as a message tells it. */
export type ToldOf<Noun extends keyof Facts> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<Facts, Noun>

/** An event about whichever noun. */
export type Told = { [Noun in keyof Facts]: ToldOf<Noun> }[keyof Facts]

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
  if ('maintenance' in told) return { maintenance: maintenanceOf(told.maintenance) }
  return 'monitor' in told ? { monitor: monitorOf(told.monitor) } : { alert: alertOf(told.alert) }
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

const alertOf = ({ id, title, status, severity, schedule, reason, since }: AlertFact) => ({
  ...{ id, title, status, severity, reason, since },
  schedule: schedule.name,
})

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
