/** Process that runs only the bus of a service, for tests that kill it. */
import type { ServiceName } from '@status-page/contracts'
import { connect } from '@status-page/postgres'
import { pino } from 'pino'
import { fast, opened, recordingHandler } from './bus.fixture.ts'
import { createBus } from './bus.ts'

const { SERVICE, DATABASE_URL = '', NATS_URL = '' } = process.env
const service = SERVICE as ServiceName
const eventHandlers =
  service === 'notifier' ? [recordingHandler('notifier-notices', [opened]).handler] : []

const database = await connect({ url: DATABASE_URL, service })
const logger = pino({ level: 'silent' })
await createBus({
  database,
  service,
  eventHandlers,
  natsUrl: NATS_URL,
  logger,
  intervals: fast,
}).start()
