/** Present measurements of a component. */
import type { ReactNode } from 'react'
import { StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import type { ComponentData } from './tree.ts'
import { type CertificateText, useCertificateText } from './use-certificate-text.ts'

export const FactsCard = ({ component }: { component: ComponentData }) => {
  const { detail, row } = useTexts().componentScreens
  const { fill, number, percent, time } = useFormats()
  const { uptimePercentage, averageResponseTime, lastValue, lastValueAt } = component
  const monitor = component.monitors?.[0]
  const certificate = useCertificateText(component)
  const timeOf = (iso: string | null | undefined) => (iso == null ? row.never : time(iso))
  const isMetric = component.type === 'METRIC'
  const facts: [string, ReactNode][] = [
    [detail.facts.uptime, uptimePercentage === null ? null : percent(uptimePercentage)],
    [
      detail.facts.average,
      averageResponseTime === null
        ? null
        : fill(row.milliseconds, { value: number(Math.round(averageResponseTime)) }),
    ],
    [
      detail.facts.value,
      isMetric && lastValue != null ? `${number(lastValue)} (${timeOf(lastValueAt)})` : null,
    ],
    [detail.facts.lastCheck, monitor === undefined ? null : timeOf(monitor.lastCheckAt)],
    [detail.facts.nextCheck, monitor?.nextCheckAt == null ? null : time(monitor.nextCheckAt)],
    [
      detail.facts.failures,
      monitor?.consecutiveFailures ? number(monitor.consecutiveFailures) : null,
    ],
    [detail.facts.certificate, certificate && <Certificate {...certificate} />],
  ]
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

const Certificate = ({ state, expiry, names }: CertificateText) => (
  <>
    <span className={classes.result}>
      <StateMark state={state} /> {expiry}
    </span>
    {names.map((name) => (
      <p key={name} className={classes.certificateName}>
        <bdi>{name}</bdi>
      </p>
    ))}
  </>
)
