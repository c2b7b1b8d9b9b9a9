/** Shell commands that send the pings of a job. */

/** Options of `curl`: fails on an error reply, without output, within a bound, with retries. */
const curl = 'curl -fsS -m 10 --retry 3 -o /dev/null'

export const pingExamples = {
  ping: (url: string) => `job && ${curl} ${url}`,
  run: (url: string) => `${curl} ${url}/start; job; ${curl} ${url}/$?`,
  output: (url: string) =>
    `job > job.log 2>&1; code=$?; tail -c 10000 job.log | ${curl} --data-binary @- ${url}/$code`,
  program: (url: string) => `statusctl heartbeat run --url ${url} -- job`,
} as const satisfies Record<string, (url: string) => string>

export type PingExample = keyof typeof pingExamples
