/** Latest pings of a heartbeat, with the output that a job has sent. */
import type { Schemas } from '@status-page/client'
import { Card } from '../kit/card.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { useDuration } from './use-duration.ts'
import { usePreciseTime } from './use-precise-time.ts'

export type HeartbeatData = Schemas['Heartbeat']
type Ping = HeartbeatData['pings'][number]

const SECOND_MS = 1000

const pingStates: Readonly<Record<Ping['kind'], State>> = {
  ping: 'ok',
  start: 'work',
  finish: 'ok',
  fail: 'down',
  alive: 'work',
}

export const PingsCard = ({ pings }: { pings: readonly Ping[] }) => {
  const { heartbeats: texts, measurements } = useTexts()
  if (pings.length === 0) return <Card title={texts.pings} aside={texts.never} />
  return (
    <Card title={texts.pings}>
      <ScrollRegion label={texts.pings}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{measurements.checks.time}</th>
              <th scope="col">{texts.signal}</th>
              <th scope="col">{texts.run}</th>
              <th scope="col">{texts.duration}</th>
              <th scope="col">{texts.output}</th>
            </tr>
          </thead>
          <tbody>
            {pings.map((ping) => (
              <PingRow key={ping.receivedAt} ping={ping} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  )
}

const PingRow = ({ ping }: { ping: Ping }) => {
  const { heartbeats: texts, componentScreens } = useTexts()
  const { fill, number } = useFormats()
  const preciseTime = usePreciseTime()
  const durationOf = useDuration()
  const { receivedAt, kind, exitCode, run, durationMs, body } = ping
  const duration = (ms: number) =>
    ms < SECOND_MS
      ? fill(componentScreens.row.milliseconds, { value: number(ms) })
      : durationOf(Math.floor(ms / SECOND_MS))
  return (
    <tr>
      <td>{preciseTime(receivedAt)}</td>
      <td>
        <span className={classes.result}>
          <StateMark state={pingStates[kind]} />{' '}
          {exitCode === null
            ? texts.kinds[kind]
            : `${texts.kinds[kind]} ${fill(texts.exitCode, { code: exitCode })}`}
        </span>
      </td>
      <td>{run === null ? '–' : <bdi>{run}</bdi>}</td>
      <td>{durationMs === null ? '–' : duration(durationMs)}</td>
      <td>{body === null || body === '' ? '–' : <Output text={body} />}</td>
    </tr>
  )
}

const Output = ({ text }: { text: string }) => {
  const { heartbeats: texts } = useTexts()
  return (
    <details className={classes.details}>
      <summary>{texts.showOutput}</summary>
      <pre className={classes.output} dir="auto">
        {text}
      </pre>
    </details>
  )
}
