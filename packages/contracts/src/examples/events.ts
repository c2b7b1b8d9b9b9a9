/** Examples of the event list and the event stream. */
import {
  clientEventId,
  eventOperations,
  eventStreamOperations,
  type StreamEntry,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes } from './values.ts'

const created: StreamEntry = {
  id: clientEventId(exampleIds.event),
  event: 'incident.created',
  timestamp: exampleTimes.failed,
  incident: {
    id: exampleIds.incident,
    title: 'API errors',
    status: 'investigating',
    impact: 'major',
    components: ['API'],
  },
}

export const eventExamples = [
  ...examplesOf(eventOperations, {
    list: { reply: { data: [created], meta: { nextAfter: created.id, hasMore: false } } },
  }),
  ...examplesOf(eventStreamOperations, {
    stream: {
      reply: `id: ${created.id}\nevent: ${created.event}\ndata: ${JSON.stringify(created)}\n\n`,
    },
  }),
]
