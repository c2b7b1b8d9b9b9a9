/** Processor time of a process that serves `/metrics`, in µs since its start. */
import type { FastifyInstance } from 'fastify'

/** Setting of a gateway whose processor time is read: its public port serves metrics by token. */
export const metricsSettings = { METRICS_TOKEN: 'token-of-a-benchmark' }

/** Adds `/metrics` with the processor time of this process, for `cpuMicros`. */
export const serveProcessorTime = (fastify: FastifyInstance): void => {
  fastify.get('/metrics', () => {
    const { user, system } = process.cpuUsage()
    return `process_cpu_seconds_total ${(user + system) / 1_000_000}\n`
  })
}

export const cpuMicros = async (origin: string): Promise<number> => {
  const headers = { authorization: `Bearer ${metricsSettings.METRICS_TOKEN}` }
  const metrics = await (await fetch(`${origin}/metrics`, { headers })).text()
  const seconds = /^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]
  if (seconds === undefined) throw new Error(`${origin}/metrics has no processor time`)
  return Number(seconds) * 1_000_000
}
