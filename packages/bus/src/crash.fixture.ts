/** A process that is only a service's bus, for tests that kill it. */
import type { ServiceName } from '@status-page/contracts'
import { connect } from '@status-page/postgres'
import { pino } from 'pino'
import { fast, opened, watched } from './bus.fixture.ts'
import { createBus } from './bus.ts'

const { SERVICE, DATABASE_URL = '', NATS_URL = '' } = process.env
const service = SERVICE as ServiceName
const reactions = service === 'notifier' ? [watched('notifier-notices', [opened]).reaction] : []

const database = await connect({ url: DATABASE_URL, service })
const logger = pino({ level: 'silent' })
await createBus({
  database,
  service,
  reactions,
  natsUrl: NATS_URL,
  logger,
  intervals: fast,
}).start()
