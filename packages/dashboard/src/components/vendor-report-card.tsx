/** Latest report of the vendor that a component follows. */
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import type { ComponentData } from './tree.ts'

export const VendorReportCard = ({ component }: { component: ComponentData }) => {
  const texts = useTexts()
  const { vendor: words } = texts
  const { time } = useFormats()
  const { upstream, vendorReport: report } = component
  if (upstream == null) return null
  if (report == null) return <Card title={words.title} aside={words.pending} />
  const { status, error, vendor, message, url, reportedAt } = report
  return (
    <Card title={words.title} aside={words.modes[upstream.mode]}>
      {status === 'no_data' ? (
        <Note state="slow">{error === null ? words.noData : words.errors[error]}</Note>
      ) : null}
      <p className={classes.state}>
        {status !== 'no_data' && <StateMark state={componentStates[status]} />}
        <strong>{status === 'no_data' ? words.noData : texts.components[status]}</strong>
        {message !== null && <q dir="auto">{message}</q>}
        <span className={classes.quiet}>{time(reportedAt)}</span>
        <a href={url} rel="noopener noreferrer" target="_blank">
          <bdi>{vendor}</bdi>
        </a>
      </p>
    </Card>
  )
}
