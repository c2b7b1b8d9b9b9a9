/** Overview: the present state of an organization in one response. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, Timestamp } from '../scalars.ts'
import { ComponentStatus, componentStatuses } from './component-status.ts'
import { IncidentDraft } from './incident-drafts.ts'
import { Incident } from './incidents.ts'
import { Maintenance } from './maintenances.ts'
import { OncallAlert } from './oncall.ts'
import { Sla } from './sla.ts'

export const MAX_OVERVIEW_ITEMS = 20
/** Time before its start in which a maintenance is listed as upcoming. */
export const UPCOMING_HOURS = 24

const Count = Type.Integer({ minimum: 0 })

const listPart = <Item extends TSchema>(item: Item, description: string) =>
  Type.Object(
    { total: Count, items: Type.Array(item, { maxItems: MAX_OVERVIEW_ITEMS }) },
    { description },
  )

/** Number and age of pending deliveries. */
export const PendingDeliveries = Type.Object({
  pending: { ...Count, description: 'Deliveries that are queued or deferred' },
  oldestPendingAt: Nullable(
    Type.String({ format: 'timestamp', description: 'Creation of the oldest pending delivery' }),
  ),
  exhausted: { ...Count, description: 'Deliveries of the last 24 hours without attempts left' },
})
export type PendingDeliveries = Static<typeof PendingDeliveries>

export const Overview = Type.Object({
  generatedAt: Timestamp,
  components: Nullable(
    Type.Object({
      total: { ...Count, description: 'Enabled components' },
      byStatus: Type.Object(
        Object.fromEntries(componentStatuses.map((status) => [status, Count])) as Record<
          ComponentStatus,
          typeof Count
        >,
      ),
      disrupted: Type.Array(Type.Object({ id: Id, name: Type.String(), status: ComponentStatus }), {
        maxItems: MAX_OVERVIEW_ITEMS,
        description: 'Enabled components with degraded performance or an outage, worst first',
      }),
    }),
  ),
  incidents: Nullable(
    Type.Object({
      open: listPart(Incident, 'Incidents that are not resolved, worst impact first'),
      overdue: {
        ...Count,
        description: 'Open incidents whose promised next update is overdue (`nextUpdateAt`)',
      },
    }),
  ),
  drafts: Nullable(listPart(IncidentDraft, 'Drafts that can be published or vetoed, newest first')),
  maintenances: Nullable(
    Type.Object({
      active: listPart(Maintenance, 'Started maintenances, earliest first'),
      upcoming: listPart(
        Maintenance,
        `Maintenances that start within ${UPCOMING_HOURS} hours, earliest first`,
      ),
    }),
  ),
  alerts: Nullable(listPart(OncallAlert, 'Unacknowledged alerts, newest first')),
  slas: Nullable(
    Type.Object({
      breached: listPart(Sla, 'Service levels whose error budget is exceeded, by name'),
      atRisk: listPart(Sla, 'Service levels whose error budget is nearly used up, by name'),
    }),
  ),
  deliveries: Nullable(PendingDeliveries),
})
export type Overview = Static<typeof Overview>

export const overviewOperations = operationsOf('core', 'overview', {
  read: {
    route: 'GET /overview',
    summary: 'Read the overview of the organization',
    description:
      `Open incidents, maintenances, alerts and drafts, each with at most ${MAX_OVERVIEW_ITEMS} ` +
      'items and the total number. A part is null if the caller may not read its resource; ' +
      '`deliveries` also if the service of deliveries does not respond within a second.',
    permission: 'caller',
    reply: Overview,
  },
})

export const pendingDeliveryOperations = operationsOf('notifier', 'pending-deliveries', {
  read: {
    route: 'GET /internal/deliveries/pending',
    base: 'root',
    summary: 'Count pending deliveries',
    permission: 'notifications:read',
    callers: ['core'],
    reply: PendingDeliveries,
  },
})
