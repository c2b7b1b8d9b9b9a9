/** Processor time of a process that serves `/metrics`, in µs since its start. */

export const cpuMicros = async (origin: string): Promise<number> => {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  const seconds = /^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]
  if (seconds === undefined) throw new Error(`${origin}/metrics has no processor time`)
  return Number(seconds) * 1_000_000
}
