/** Notifications that wait, and those that failed. */
import type { Schemas } from '@status-page/client'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './overview.module.css'

export const DeliveriesCard = ({ deliveries }: Pick<Schemas['Overview'], 'deliveries'>) => {
  const { overview: texts } = useTexts()
  const { fill, plural, time } = useFormats()
  const { can } = useSession()
  if (!can('NOTIFICATIONS_VIEW')) return null
  if (deliveries === null) {
    return (
      <Card title={texts.deliveries}>
        <p className={classes.calm}>{texts.deliveriesUnknown}</p>
      </Card>
    )
  }
  const { pending, oldestPendingAt, exhausted } = deliveries
  if (pending + exhausted === 0) return null
  return (
    <Card title={texts.deliveries}>
      <ul>
        {oldestPendingAt !== null && (
          <ListRow
            state="work"
            title={plural(texts.pending, pending)}
            facts={[fill(texts.oldestPending, { time: time(oldestPendingAt) })]}
          />
        )}
        {exhausted > 0 && <ListRow state="down" title={plural(texts.exhausted, exhausted)} />}
      </ul>
    </Card>
  )
}
