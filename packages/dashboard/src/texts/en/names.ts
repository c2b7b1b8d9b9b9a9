/** English names of statuses, impacts and severities. */
import type {
  AlertSeverity,
  ComponentStatus,
  Impact,
  IncidentStatus,
  MaintenanceStatus,
} from '@status-page/contracts'

/** Complete by type, so that a new status without a name does not compile. */
export const names = {
  components: {
    operational: 'Operational',
    degraded_performance: 'Degraded performance',
    partial_outage: 'Partial outage',
    major_outage: 'Major outage',
    under_maintenance: 'Under maintenance',
  },
  incidents: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  maintenances: {
    scheduled: 'Scheduled',
    in_progress: 'In progress',
    verifying: 'Verifying',
    completed: 'Completed',
    cancelled: 'Cancelled',
  },
  impacts: { minor: 'Minor', major: 'Major', critical: 'Critical' },
  severities: { critical: 'Critical', warning: 'Warning' },
} satisfies {
  components: Record<ComponentStatus, string>
  incidents: Record<IncidentStatus, string>
  maintenances: Record<MaintenanceStatus, string>
  impacts: Record<Impact, string>
  severities: Record<AlertSeverity, string>
}
