/**
 * Worker whose first connection is its own: the driver reads the types once per thread. Posts the
 * code of the error of that connection, and after a message the row of the next connection.
 */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './index.ts'

const database = openDatabase({ url: workerData, service: 'core' })
const code = await database.dedicated().catch((error: { code: string }) => error.code)
parentPort?.postMessage(code)
if (parentPort) await once(parentPort, 'message')
const dedicated = await database.dedicated()
parentPort?.postMessage([...(await dedicated`SELECT 1 AS one`)])
await database.close()
