/** Example of the overview, composed of the examples of its parts. */
import { overviewOperations } from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIncident } from './incidents.ts'
import { exampleMaintenance } from './maintenances.ts'
import { exampleAlert } from './oncall.ts'
import { exampleSla } from './sla.ts'
import { exampleIds, exampleTimes } from './values.ts'

const none = { total: 0, items: [] }

export const overviewExamples = examplesOf(overviewOperations, {
  read: {
    reply: {
      generatedAt: exampleTimes.updated,
      components: {
        total: 12,
        byStatus: {
          operational: 11,
          degraded_performance: 0,
          partial_outage: 1,
          major_outage: 0,
          under_maintenance: 0,
        },
        disrupted: [{ id: exampleIds.component, name: 'API', status: 'partial_outage' }],
      },
      incidents: { open: { total: 1, items: [exampleIncident] }, overdue: 0 },
      drafts: none,
      maintenances: { active: none, upcoming: { total: 1, items: [exampleMaintenance] } },
      alerts: { total: 1, items: [exampleAlert] },
      slas: {
        breached: none,
        atRisk: {
          total: 1,
          items: [{ ...exampleSla, current: { ...exampleSla.current, status: 'at_risk' } }],
        },
      },
      deliveries: { pending: 3, oldestPendingAt: exampleTimes.failed, exhausted: 0 },
    },
  },
})
