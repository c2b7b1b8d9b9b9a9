/** Examples of the import from Statuspage, of the sample data and of the static export. */
import { exportOperations, importOperations, sampleDataOperations } from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds } from './values.ts'

export const importExamples = examplesOf(importOperations, {
  statuspageDocuments: {
    body: { url: 'https://acme.statuspage.io' },
    reply: {
      page: {
        id: 'y2j98763l56x',
        name: 'Acme',
        url: 'https://acme.statuspage.io',
        time_zone: 'Europe/Berlin',
      },
      components: [{ id: '14q1j9n5vd22', name: 'API', status: 'operational' }],
      incidents: [],
      scheduled_maintenances: [],
    },
  },
  statuspage: {
    body: {
      page: {
        id: 'y2j98763l56x',
        name: 'Acme',
        url: 'https://acme.statuspage.io',
        time_zone: 'Europe/Berlin',
      },
      components: [
        { id: 'kctbh9vrtdwd', name: 'Europe', group: true },
        { id: '14q1j9n5vd22', name: 'API', status: 'operational', group_id: 'kctbh9vrtdwd' },
      ],
      incidents: [
        {
          id: 'cp306tmzcl0y',
          name: 'Slow responses',
          status: 'resolved',
          impact: 'minor',
          created_at: '2026-06-14T09:00:00Z',
          resolved_at: '2026-06-14T10:30:00Z',
          components: [{ id: '14q1j9n5vd22' }],
          incident_updates: [
            {
              id: 'jdy3tw5mt5r5',
              status: 'resolved',
              body: 'Response times are normal again.',
              created_at: '2026-06-14T10:30:00Z',
              affected_components: [
                {
                  code: '14q1j9n5vd22',
                  old_status: 'degraded_performance',
                  new_status: 'operational',
                },
              ],
            },
          ],
        },
      ],
      subscribers_csv: 'email,components\nreader@example.com,14q1j9n5vd22\n',
    },
    reply: {
      dryRun: false,
      page: {
        id: exampleIds.page,
        name: 'Acme',
        slug: 'acme',
        url: 'https://status.example.com/status/acme',
        isPublished: false,
        isNew: true,
      },
      components: { created: 2, updated: 0, unchanged: 0 },
      incidents: { created: 1, updated: 0, unchanged: 0 },
      maintenances: { created: 0, updated: 0, unchanged: 0 },
      incidentTemplates: { created: 0, updated: 0, unchanged: 0 },
      subscribers: {
        total: 1,
        imported: 1,
        updated: 0,
        skipped: 0,
        failed: 0,
        dryRun: false,
        errors: [],
      },
      warnings: [],
    },
  },
})

const sampleData = {
  loadedAt: '2026-06-15T08:00:00.000Z',
  statusPage: {
    id: exampleIds.page,
    name: 'Sample page',
    url: 'https://status.example.com/status/sample-4f0c1a2b',
  },
  componentCount: 10,
}

export const sampleDataExamples = examplesOf(sampleDataOperations, {
  read: { reply: sampleData },
  load: { reply: sampleData },
  remove: { reply: { success: true } },
})

export const exportExamples = examplesOf(exportOperations, {
  export: { reply: 'PK…' },
})
