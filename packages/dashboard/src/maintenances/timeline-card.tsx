/** Updates of a maintenance, newest first. */
import layout from '../incidents/incidents.module.css'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { MessageView } from '../kit/message-view.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { MaintenanceData } from './queries.ts'
import { maintenanceMarks } from './states.ts'

export const TimelineCard = ({ maintenance }: { maintenance: MaintenanceData }) => {
  const { maintenance: texts, maintenances: names } = useTexts()
  const { number, time } = useFormats()
  const updates = maintenance.updates ?? []
  return (
    <Card title={texts.updates} count={number(updates.length)}>
      <ol>
        {updates.map(({ id, status, message, displayAt }) => (
          <li key={id} className={layout.entry}>
            <StateMark state={maintenanceMarks[status]} />
            <div className={layout.entryText}>
              <p className={layout.entryHead}>
                <strong>{names[status]}</strong>
                <time className={layout.fact} dateTime={displayAt}>
                  {time(displayAt)}
                </time>
              </p>
              {message === '' ? (
                <p className={layout.fact}>{texts.noMessage}</p>
              ) : (
                <MessageView text={message} />
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
