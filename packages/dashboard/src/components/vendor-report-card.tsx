/** Latest report of the vendor that a component follows. */
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import type { ComponentData } from './tree.ts'

export const VendorReportCard = ({ component }: { component: ComponentData }) => {
  const { vendor: texts } = useTexts()
  const { upstream, vendorReport } = component
  if (upstream == null) return null
  if (vendorReport == null) return <Card title={texts.title} aside={texts.pending} />
  return (
    <Card title={texts.title} aside={texts.modes[upstream.mode]}>
      <ul className={classes.rows}>
        <ReportRow report={vendorReport} />
      </ul>
    </Card>
  )
}

const ReportRow = ({ report }: { report: NonNullable<ComponentData['vendorReport']> }) => {
  const { vendor: texts, components } = useTexts()
  const { facts, time } = useFormats()
  const { status, error, vendor, message, url, reportedAt } = report
  const isKnown = status !== 'no_data'
  return (
    <li>
      <StateMark state={isKnown ? componentStates[status] : 'slow'} />
      <strong>{isKnown ? components[status] : texts.noData}</strong>
      {message !== null && <q dir="auto">{message}</q>}
      <span className={classes.quiet}>
        {facts([...(error === null ? [] : [texts.errors[error]]), time(reportedAt)])}
      </span>
      <a href={url} rel="noopener noreferrer" target="_blank">
        <bdi>{vendor}</bdi>
      </a>
    </li>
  )
}
